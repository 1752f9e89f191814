import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Graph, PreparedOperation } from '../gateway/graph/types.js';
import { codeOf } from '../http/envelope.js';
import type { AuthContext } from '../kit/base/auth-context.js';
import type { Engine } from '../kit/engine/engine.js';
import { PalisadeError, unauthenticated } from '../kit/base/errors.js';
import type { Logger } from '../kit/base/logger.js';
import type { ObjectStore } from '../kit/store/object-store.js';
import { planArguments, readArguments, type ArgumentPlan, type Variables } from './arguments.js';
import { outcomeOf, sendOutcome } from './envelopes.js';
import { sendDocument } from './documents.js';
import { pieceOperation, sendFile } from './files.js';
import { EventStreams, type EventStreamTimes } from './event-streams.js';
import { readInput } from './input.js';
import { AFTER_ARGUMENT, BODY_ARGUMENT, collectRoutes, UPLOAD_ARGUMENT } from './routes.js';
import { bindOperations, type BoundRoute } from './sofa.js';
import { assertUploadable, stageUpload } from './uploads.js';
import { restView } from './view.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Arguments of the request line, once they are read. */
    variables: Variables;
  }
  interface FastifyContextConfig {
    /** The body may take as long as it needs: an upload. */
    unboundedBody?: boolean;
  }
}

/** A route with the document of its operation, and how its arguments are read. */
export interface Endpoint {
  readonly route: BoundRoute;
  readonly plan: ArgumentPlan;
}

/** The REST API of all engines. */
export interface RestApi {
  readonly view: GraphQLSchema;
  readonly endpoints: readonly Endpoint[];
}

/**
 * Builds the REST API of `engines`: the view, the route table, one document a route.
 * @param apiSchema the graph that clients see
 * @throws an Error that lists what is wrong with the route table
 */
export async function createRestApi(apiSchema: GraphQLSchema, engines: readonly Engine[]): Promise<RestApi> {
  const view = restView(apiSchema, engines);
  const routes = await bindOperations(view, collectRoutes(engines, apiSchema));
  return { view, endpoints: routes.map((route) => ({ route, plan: planArguments(route) })) };
}

export interface RestDependencies {
  readonly graph: Graph;
  readonly objects: ObjectStore;
  readonly logger: Logger;
  /** Largest report, in bytes. */
  readonly maxImportBytes: number;
  /** Who calls now, by a request that came earlier; rejects when the session is over. */
  readonly authenticate: (request: FastifyRequest) => Promise<AuthContext>;
  /** Of streams of events; the usual ones when absent. */
  readonly eventTimes?: EventStreamTimes;
}

type PreparedEndpoint = Endpoint & {
  /** Prepared at the first call: planning all operations would take most of a start. The contract tests prepare each of them. */
  operation(): PreparedOperation;
  /** What gives a piece of the file, where the answer is one. */
  pieces(): PreparedOperation | undefined;
};

const JSON_TYPE = /^application\/json\s*(;|$)/i;
const hasBody = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

/** @throws PalisadeError UNSUPPORTED_MEDIA_TYPE for a body that is not plain JSON (decision 24) */
function assertJson(request: FastifyRequest): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (!hasBody(request)) return;
  if (type === undefined || !JSON_TYPE.test(type))
    throw new PalisadeError('UNSUPPORTED_MEDIA_TYPE', 'The content type is not accepted here; send application/json');
  if (encoding !== undefined && encoding !== 'identity')
    throw new PalisadeError('UNSUPPORTED_MEDIA_TYPE', 'A JSON body must not be compressed');
}

function callerOf(request: FastifyRequest): AuthContext {
  if (request.auth === null) throw unauthenticated();
  return request.auth;
}

/** A signal that is aborted when the client leaves before it has its answer. */
function abortedWith({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Whether an engine has refused, so that it holds nothing of the call any more. */
const isRefusal = (error: unknown): boolean => {
  const code = codeOf(error);
  return code !== null && code !== 'UPSTREAM_UNAVAILABLE' && code !== 'INTERNAL';
};

/** Adds the endpoints of `api` to `app`, whose pipeline has identified the caller. Checks come in the order of decision 11: 403, then 404, 400 and 422. */
export function registerRestApi(app: FastifyInstance, api: RestApi, dependencies: RestDependencies): void {
  const { graph, objects, logger, maxImportBytes, authenticate, eventTimes } = dependencies;
  const streams = new EventStreams(app, eventTimes);
  // Set by the check of every endpoint, before any handler reads it.
  app.decorateRequest('variables', null as unknown as Variables);
  const endpoints = api.endpoints.map((endpoint): PreparedEndpoint => {
    const { route } = endpoint;
    let prepared: PreparedOperation | undefined;
    let preparedPieces: PreparedOperation | undefined;
    return {
      ...endpoint,
      operation: () => (prepared ??= graph.prepare(route.text)),
      pieces: () =>
        route.file &&
        (preparedPieces ??= graph.prepare(
          pieceOperation(
            route.file.pieces,
            route.pathParameters.map(({ name }) => name),
          ),
        )),
    };
  });

  const check =
    ({ route, operation, plan }: PreparedEndpoint) =>
    (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
      try {
        const { variables, fault } = readArguments(
          plan,
          { target: request.raw.url ?? '/', headers: request.headers },
          route.upload === true,
        );
        graph.authorize(operation(), { variables, auth: callerOf(request) });
        if (fault) throw fault;
        if (route.upload) assertUploadable(request, maxImportBytes);
        else if (route.kind === 'mutation') assertJson(request);
        request.variables = variables;
        done();
      } catch (error) {
        done(error as Error);
      }
    };

  for (const endpoint of endpoints.filter(({ route }) => !route.upload)) {
    const { route, operation, pieces, plan } = endpoint;
    for (const url of [route.url, ...route.aliasUrls])
      app.route({
        method: route.method,
        url,
        onRequest: check(endpoint),
        handler: async (request, reply) => {
          const { variables } = request;
          if (route.events) {
            const ask = async (auth: AuthContext, asked: Variables, signal: AbortSignal) => {
              graph.authorize(operation(), { variables: asked, auth });
              return outcomeOf(route, await graph.execute(operation(), { variables: asked, auth, signal }));
            };
            return streams.send(reply, route, { auth: callerOf(request), variables, ask, authenticate: () => authenticate(request) });
          }
          const input = readInput(plan.body, request.body);
          if (input !== undefined) variables[BODY_ARGUMENT] = input;
          const call = { variables, auth: callerOf(request), ...(route.kind === 'query' && { signal: abortedWith(reply) }) };
          const outcome = outcomeOf(route, await graph.execute(operation(), call));
          if (!outcome.ok) return sendOutcome(reply, route, outcome);
          if (route.mediaTypes)
            return sendDocument(reply, route, outcome.value, async (after) =>
              outcomeOf(route, await graph.execute(operation(), { ...call, variables: { ...variables, [AFTER_ARGUMENT]: after } })),
            );
          if (!route.file) return sendOutcome(reply, route, outcome);
          const piece = pieces()!;
          // the rights are checked again for each piece, as those of any call
          return sendFile(reply, outcome.value, async (number) => {
            const { data } = await graph.execute(piece, { ...call, variables: { ...variables, number } });
            return data?.[route.file!.pieces];
          });
        },
      });
  }

  void app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    // The body stays unread: the handler streams it.
    uploads.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const endpoint of endpoints.filter(({ route }) => route.upload)) {
      const { route, operation, plan } = endpoint;
      uploads.route({
        method: route.method,
        url: route.url,
        config: { unboundedBody: true },
        onRequest: check(endpoint),
        handler: async (request, reply) => {
          const auth = callerOf(request);
          const staged = await stageUpload(request, plan, request.variables, {
            objects,
            tenantId: auth.tenant_id,
            maxBytes: maxImportBytes,
          });
          const variables = { ...request.variables, ...staged.variables, [UPLOAD_ARGUMENT]: staged.id };
          const outcome = outcomeOf(route, await graph.execute(operation(), { variables, auth }));
          // an engine that did not answer may be at it still: what it leaves alone is swept by age
          if (!outcome.ok && isRefusal(outcome.error)) {
            await objects
              .remove(auth.tenant_id, staged.id)
              .catch((error: unknown) => logger.error({ err: error, object: staged.id }, 'a refused upload stays behind'));
          }
          return sendOutcome(reply, route, outcome);
        },
      });
    }
  });
}
