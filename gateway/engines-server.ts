import { fastifyApolloHandler } from '@as-integrations/fastify';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import type { AuthContext } from '../subgraphs/_kit/auth-context.js';
import { PalisadeError, unauthenticated } from '../subgraphs/_kit/errors.js';
import type { Logger } from '../subgraphs/_kit/logger.js';
import { ERROR_TABLE, isErrorCode } from '../schema/error-table.js';
import { createApolloServer } from './apollo-server.js';
import { AUTH_CONTEXT_HEADER, type ContextVerifier } from './auth-context-token.js';
import { internalError } from './engine-errors.js';
import type { EngineRuntime } from './transports/engine-runtime.js';
import { enginePath } from './transports/http.js';
import { withinBudget } from './transports/time-budget.js';

export interface EnginesServerOptions {
  /** The engines of this process: `createLocalCaller(...).runtimes`. */
  readonly runtimes: ReadonlyMap<string, EngineRuntime>;
  readonly verifier: ContextVerifier;
  readonly logger: Logger;
  /** Milliseconds for one call: ENGINE_TIMEOUT_MS. */
  readonly timeoutMs: number;
  /** Largest body of a call, in bytes: a page of representations, or an ingest of observations. */
  readonly bodyLimit?: number;
}

/** What a call that was let in carries to Apollo's executor. */
interface EngineRequest {
  readonly auth: AuthContext;
  readonly signal: AbortSignal;
}

const entered = new WeakMap<FastifyRequest, EngineRequest>();
const rawBodies = new WeakMap<FastifyRequest, Buffer>();

/** Aborted when the caller hangs up before it was answered. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) controller.abort();
  });
  return controller.signal;
}

function refuse(reply: FastifyReply, error: unknown): FastifyReply {
  const code = error instanceof PalisadeError ? error.code : 'BAD_REQUEST';
  const message = error instanceof PalisadeError ? error.message : 'Bad request';
  return reply.code(ERROR_TABLE[code].status).send({ errors: [{ message, extensions: { code } }] });
}

function mount(app: FastifyInstance, runtime: EngineRuntime, options: EnginesServerOptions) {
  const { name, schema } = runtime;
  const server = createApolloServer({
    schema,
    sdl: name,
    logger: options.logger,
    introspection: false,
    executor: async ({ request, context }): Promise<ExecutionResult> => {
      const { auth, signal } = context as EngineRequest;
      const { query = '', variables } = request;
      const budget = { engine: name, timeoutMs: options.timeoutMs, signal };
      return withinBudget(budget, (inner) => runtime.run({ query, variables, auth, signal: inner }), () => ({ errors: [internalError(undefined, auth.request_id)] }));
    },
  });
  const verify = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = request.headers[AUTH_CONTEXT_HEADER];
    const body = rawBodies.get(request) ?? Buffer.alloc(0);
    const auth = await options.verifier.verify(typeof token === 'string' ? token : undefined, { engine: name, method: request.method, path: request.url, body });
    entered.set(request, { auth, signal: signalOf(reply) });
  };
  const handler = fastifyApolloHandler(server, { context: async (request) => entered.get(request)! });
  app.post(enginePath(name), { preHandler: verify }, handler);
  return server;
}

/**
 * The server of an engines process: one endpoint an engine, `POST /engines/<name>/graphql`, for calls of the gateway only. A call without
 * a valid X-Auth-Context for that engine, path and body is a 401, whatever its path is; `GET /healthz` alone is open. It does not listen.
 */
export async function createEnginesServer(options: EnginesServerOptions): Promise<FastifyInstance> {
  const app = Fastify({ logger: false, bodyLimit: options.bodyLimit ?? 64 * 1024 * 1024, exposeHeadRoutes: false });
  app.removeAllContentTypeParsers();
  // The token names a hash of the body, so its bytes are kept until the token was checked.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    rawBodies.set(request, body);
    try {
      done(null, JSON.parse(body.toString('utf8')));
    } catch {
      done(unauthenticated('The call carries no valid context'), undefined);
    }
  });
  app.setNotFoundHandler((_request, reply) => refuse(reply, unauthenticated('The call carries no valid context')));
  app.setErrorHandler((error, request, reply) => {
    const known = error instanceof PalisadeError && isErrorCode(error.code);
    if (!known) options.logger.warn({ err: error, url: request.url }, 'an engine refused a call');
    return refuse(reply, known ? error : unauthenticated('The call carries no valid context'));
  });
  app.get('/healthz', async () => ({ status: 'ok', engines: [...options.runtimes.keys()] }));

  const servers = [...options.runtimes.values()].map((runtime) => mount(app, runtime, options));
  await Promise.all(servers.map((server) => server.start()));
  app.addHook('onClose', async () => void (await Promise.all(servers.map((server) => server.stop()))));
  return app;
}
