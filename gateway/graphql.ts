import { HeaderMap } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { getOperationAST } from 'graphql';
import type { AuthContext } from '../kit/base/auth-context.js';
import { badRequest, PalisadeError } from '../kit/base/errors.js';
import type { Logger } from '../kit/base/logger.js';
import { ERROR_TABLE } from '../schema/error-table.js';
import { createApolloServer } from './apollo-server.js';
import { BoundedCache } from '../kit/base/bounded-cache.js';
import { internalError, isStoreAway } from '../http/engine-errors.js';
import type { Graph, PreparedOperation } from './graph/types.js';
import { costOf } from './graphql-cost.js';
import { assertWithinLimits, GRAPHQL_LIMITS } from './graphql-limits.js';
import { assertNoNavigation, GRAPHQL_RESPONSE, isObject, readGraphqlRequest, responseType } from './graphql-request.js';
import type { GraphqlRequest, ReadJson } from './graphql-request.js';
import { assertHash, PersistedQueries } from './persisted-queries.js';

export interface GraphqlOptions {
  readonly graph: Graph;
  readonly logger: Logger;
  readonly readJson: ReadJson;
  /** Who calls. Throws a PalisadeError (UNAUTHENTICATED, RATE_LIMITED) for one who may not enter. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => AuthContext | Promise<AuthContext>;
  /** Charges a call by the fields that it selects, before it runs; throws RATE_LIMITED. A call that is refused before that is charged for none. */
  readonly charge?: (reply: FastifyReply, auth: AuthContext, fields: number) => void | Promise<void>;
}

/** A request that was let in, as Apollo's executor gets it. */
interface Entered {
  readonly auth: AuthContext;
  readonly operation: PreparedOperation;
  readonly variables: Record<string, unknown>;
  readonly explain: boolean;
  readonly signal: AbortSignal;
}

const JSON_HEADERS = new HeaderMap([
  ['content-type', 'application/json'],
  ['accept', 'application/json'],
]);

/** Characters of texts known to be within the limits. */
const KEPT = 1_048_576;

/** What Apollo's clients and urql take for "send the document as well"; a 200 to a client that does not read statuses. */
const NOT_PERSISTED = { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } };
class PersistedQueryNotFound extends Error {}

function refuse(reply: FastifyReply, error: unknown, logger: Logger): FastifyReply {
  const { id, headers } = reply.request;
  const type = responseType(headers.accept);
  reply.header('cache-control', 'no-store').type(type);
  if (error instanceof PersistedQueryNotFound) return send(reply, type.startsWith(GRAPHQL_RESPONSE) ? 400 : 200, [NOT_PERSISTED]);
  if (error instanceof PalisadeError) {
    const { detail } = error.extensions;
    if (error.code === 'RATE_LIMITED' && isObject(detail) && typeof detail.retry_after === 'number')
      reply.header('retry-after', Math.ceil(detail.retry_after));
    if (error.code === 'METHOD_NOT_ALLOWED') reply.header('allow', 'POST');
    return send(reply, ERROR_TABLE[error.code].status, [
      { message: error.message, extensions: { code: error.code, ...(detail == null ? {} : { detail }) } },
    ]);
  }
  logger.error({ err: error, request_id: id }, 'a graph request broke');
  return send(reply, 500, [internalError(undefined, id)]);
}

// as a text, because the framework sets the content type of what it makes JSON of
const send = (reply: FastifyReply, status: number, errors: readonly unknown[]): FastifyReply =>
  reply.code(status).send(JSON.stringify({ errors }));

/** Aborted when the client hangs up before it was answered. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) controller.abort();
  });
  return controller.signal;
}

/**
 * Adds `POST /graphql` and, for queries, `GET /graphql` to `app` (GraphQL over HTTP): limits, plan, permissions, then Apollo Server with an executor
 * that is our graph. What is refused before it runs is a GraphQL error with the HTTP status of its code: 400, 401, 403, 404, 405, 413, 415, 429,
 * 503. A result with data is a 200.
 */
export async function registerGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const { graph, logger } = options;
  const callers = new WeakMap<FastifyRequest, AuthContext>();
  const charged = new WeakSet<FastifyRequest>();
  const entered = new WeakMap<FastifyRequest, Entered>();
  const within = new BoundedCache<true>(KEPT, (text) => text.length);
  const persisted = new PersistedQueries();
  const server = createApolloServer({
    schema: graph.apiSchema,
    sdl: graph.supergraphSdl,
    logger,
    introspection: true,
    executor: ({ context }) => {
      const { operation, ...call } = context as Entered;
      return graph.execute(operation, call);
    },
  });
  await server.start();

  const charge = async (request: FastifyRequest, reply: FastifyReply, auth: AuthContext, fields: number) => {
    charged.add(request);
    await options.charge?.(reply, auth, fields);
  };
  /** What to answer to a call that ended in `error`; 429 where the caller has no call left for it (decision 11). */
  const refusalOf = async (request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<unknown> => {
    const auth = callers.get(request);
    if (!auth || charged.has(request)) return error;
    return charge(request, reply, auth, 0).then(
      () => error,
      (refused: unknown) => toPalisade(refused),
    );
  };

  const documentOf = ({ query, hash }: GraphqlRequest, { tenant_id }: AuthContext): string => {
    if (query !== null && hash !== null) assertHash(query, hash);
    const document = query ?? persisted.find(tenant_id, hash!);
    if (document === null) throw new PersistedQueryNotFound();
    return document;
  };

  const enter = async (request: FastifyRequest, reply: FastifyReply) => {
    const auth = callers.get(request)!;
    const byGet = request.method === 'GET';
    if (byGet) assertNoNavigation(request);
    const asked = readGraphqlRequest(request, options.readJson);
    const { operationName, variables, hash, explain } = asked;
    const query = documentOf(asked, auth);
    within.getOrMake(query, () => (assertWithinLimits(graph.apiSchema, query), true));
    const operation = graph.prepare(query, operationName);
    await charge(request, reply, auth, operation.fields);
    if (byGet && operation.kind !== 'query') throw new PalisadeError('METHOD_NOT_ALLOWED', 'Mutations are sent by POST');
    graph.authorize(operation, { auth, variables });
    const cost = costOf(graph.apiSchema, operation.document, getOperationAST(operation.document)!, variables);
    if (cost > GRAPHQL_LIMITS.cost)
      throw badRequest(`The operation may answer with ${cost} fields; ${GRAPHQL_LIMITS.cost} are allowed`, {
        cost,
        allowance: GRAPHQL_LIMITS.cost,
      });
    if (hash !== null) persisted.keep(auth.tenant_id, hash, query);
    entered.set(request, { auth, operation, variables, explain, signal: signalOf(reply) });
  };

  // A scope of its own, so that its errors are GraphQL's; bodies are parsed as everywhere in `app`.
  await app.register(async (scope) => {
    scope.setErrorHandler(async (error, request, reply) => refuse(reply, await refusalOf(request, reply, toPalisade(error)), logger));
    scope.addHook('onRequest', async (request, reply) => void callers.set(request, await options.authenticate(request, reply)));
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const context = entered.get(request)!;
      const { query, operationName } = context.operation;
      // Apollo gets every request in one form; what it says of the response's type is ours to say.
      const { status, headers, body } = await server.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: 'POST',
          headers: JSON_HEADERS,
          search: '',
          body: { query, variables: context.variables, ...(operationName !== undefined && { operationName }) },
        },
        context: async () => context,
      });
      if (body.kind !== 'complete') throw new Error('a result of several parts');
      for (const [name, value] of headers) reply.header(name, value);
      return reply
        .code(status ?? 200)
        .type(responseType(request.headers.accept))
        .send(body.string);
    };
    scope.post('/graphql', { preHandler: enter }, handler);
    scope.get('/graphql', { preHandler: enter, exposeHeadRoute: false }, handler);
    scope.addHook('onClose', () => server.stop());
  });
}

/** What the HTTP layer refuses, and a store that is away, in the words of the error table. */
function toPalisade(error: unknown): unknown {
  if (isStoreAway(error)) return new PalisadeError('UPSTREAM_UNAVAILABLE', 'The store is not available');
  const status = isObject(error) || error instanceof Error ? (error as { statusCode?: unknown }).statusCode : undefined;
  if (error instanceof PalisadeError || typeof status !== 'number' || status >= 500) return error;
  if (status === 413) return new PalisadeError('PAYLOAD_TOO_LARGE', 'The body is too large');
  if (status === 415) return new PalisadeError('UNSUPPORTED_MEDIA_TYPE', 'Send application/json');
  return badRequest('Bad request');
}
