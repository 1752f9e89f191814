import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import { z } from 'zod';
import { badRequest, PalisadeError, unauthenticated } from '../kit/base/errors.js';
import type { Logger } from '../kit/base/logger.js';
import { ERROR_TABLE, isErrorCode } from '../schema/error-table.js';
import { AUTH_CONTEXT_HEADER, type ContextVerifier } from './auth-context-token.js';
import { internalError } from '../http/engine-errors.js';
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

const HEALTH = '/healthz';
const REFUSED = 'The call carries no valid context';

/** GraphQL over HTTP, as far as a gateway speaks it: one operation. */
const callSchema = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).nullish() });

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

function readCall(body: Buffer): z.infer<typeof callSchema> {
  try {
    return callSchema.parse(JSON.parse(body.toString('utf8')));
  } catch {
    throw badRequest('The body is not a GraphQL call in JSON');
  }
}

/** A result without data never ran: its status is that of its error. A result with data is a 200, whatever else it says. */
function statusOf({ data, errors }: ExecutionResult): number {
  if (data !== undefined || !errors?.length) return 200;
  const code = errors[0]!.extensions['code'];
  return isErrorCode(code) ? ERROR_TABLE[code].status : 400;
}

function mount(app: FastifyInstance, runtime: EngineRuntime, { verifier, timeoutMs }: EnginesServerOptions): void {
  const { name } = runtime;
  app.post(enginePath(name), async (request: FastifyRequest, reply: FastifyReply) => {
    const token = request.headers[AUTH_CONTEXT_HEADER];
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const { method, url: path } = request;
    const auth = await verifier.verify(typeof token === 'string' ? token : undefined, { engine: name, method, path, body });
    const { query, variables } = readCall(body);
    const result = await withinBudget(
      { engine: name, timeoutMs, signal: signalOf(reply) },
      (signal) => runtime.run({ query, variables: variables ?? undefined, auth, signal }),
      () => ({ errors: [internalError(undefined, auth.request_id)] }),
    );
    // the gateway reads it once, and nothing in between: written here, by nobody else
    return reply.code(statusOf(result)).type('application/json; charset=utf-8').send(JSON.stringify(result));
  });
}

/**
 * The server of an engines process: one endpoint an engine, `POST /engines/<name>/graphql`, for calls of the gateway only. A call without
 * a valid X-Auth-Context for that engine, path and body is a 401, whatever its path is; `GET /healthz` alone is open. It does not listen.
 */
export async function createEnginesServer(options: EnginesServerOptions): Promise<FastifyInstance> {
  const app = Fastify({ logger: false, bodyLimit: options.bodyLimit ?? 64 * 1024 * 1024, exposeHeadRoutes: false });
  app.removeAllContentTypeParsers();
  // The token names a hash of the body's bytes, and nothing is made of them before it was checked.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((_request, reply) => refuse(reply, unauthenticated(REFUSED)));
  app.setErrorHandler((error, request, reply) => {
    const known = error instanceof PalisadeError && isErrorCode(error.code);
    if (!known) options.logger.warn({ err: error, url: request.url }, 'an engine refused a call');
    return refuse(reply, known ? error : unauthenticated(REFUSED));
  });
  app.addHook('onRequest', async (request) => {
    if (request.url !== HEALTH && !request.headers[AUTH_CONTEXT_HEADER]) throw unauthenticated(REFUSED);
  });
  app.get(HEALTH, async () => ({ status: 'ok', engines: [...options.runtimes.keys()] }));

  for (const runtime of options.runtimes.values()) mount(app, runtime, options);
  return app;
}
