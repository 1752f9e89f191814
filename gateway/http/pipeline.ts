import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { Auth } from '../../sign-in/index.js';
import { admitCall, rateLimitHeaders, setRateLimitHeaders, type RateDecision, type RateLimiter } from '../../http/rate-limit.js';
import { ADDRESS_LIMITS } from '../../http/rate-limits.js';
import { rawErrorResponse, sendError } from '../../http/envelope.js';
import { SECURITY_HEADERS } from '../../http/security-headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of a request below /api/v1; null elsewhere. */
    auth: AuthContext | null;
  }
}

export interface PipelineDependencies {
  readonly auth: Pick<Auth, 'authenticate'>;
  readonly rateLimiter: RateLimiter;
}

const API = /^\/api\/v1(?=[/?#]|$)/;

/** The limits reported where the store that counts them is away or is not asked: the address's own, untouched. */
export const unknownDecision = (): RateDecision => {
  const now = Math.floor(Date.now() / 1000);
  const reset = (Math.floor(now / 60) + 1) * 60;
  return {
    allowed: true,
    window: 'minute',
    limit: ADDRESS_LIMITS.minute,
    remaining: ADDRESS_LIMITS.minute,
    reset,
    retry_after: reset - now,
  };
};

/**
 * Who calls. A call without a session counts against its address, and is answered 429 instead of 401 only once that address is over its limit.
 * @throws PalisadeError UNAUTHENTICATED, RATE_LIMITED, FORBIDDEN (another site)
 */
export async function authenticateCounted(
  { auth, rateLimiter }: PipelineDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AuthContext> {
  try {
    return await auth.authenticate(request);
  } catch (error) {
    admitCall(reply, await rateLimiter.consumeAddress(request.ip).catch(unknownDecision));
    throw error;
  }
}

/**
 * The first steps of every call below /api/v1, known path or not: 401, then 429 (decision 11).
 * @throws PalisadeError as `authenticateCounted` does
 */
async function enter(dependencies: PipelineDependencies, request: FastifyRequest, reply: FastifyReply): Promise<AuthContext> {
  const caller = await authenticateCounted(dependencies, request, reply);
  admitCall(reply, await dependencies.rateLimiter.consume(caller));
  return caller;
}

function begin(request: FastifyRequest, reply: FastifyReply): boolean {
  void reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
  const isApi = API.test(request.url);
  if (isApi) void reply.header('cache-control', 'no-store');
  return isApi;
}

/** Adds to `app` what every request passes first, and the headers that every response carries. */
export function registerPipeline(app: FastifyInstance, dependencies: PipelineDependencies): void {
  app.decorateRequest('auth', null);
  app.addHook('onRequest', async (request, reply) => {
    if (begin(request, reply)) request.auth = await enter(dependencies, request, reply);
  });
  app.addHook('onSend', async (request, reply) => {
    if (!reply.hasHeader('x-ratelimit-limit'))
      setRateLimitHeaders(reply, await dependencies.rateLimiter.peekAddress(request.ip).catch(unknownDecision));
  });
}

/** Answers a request whose target no router can read; hooks do not run for it, so the same steps are taken here, in the same order. */
export async function refuseUnroutable(
  dependencies: PipelineDependencies,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  let shown = error;
  if (begin(request, reply)) {
    await enter(dependencies, request, reply).catch((failure: unknown) => {
      shown = failure;
    });
  } else {
    setRateLimitHeaders(reply, await dependencies.rateLimiter.peekAddress(request.ip).catch(unknownDecision));
  }
  sendError(reply, shown);
}

/** Answers bytes that the HTTP parser refuses, as it answers everything else: with the envelope and the limits of the address. */
export async function refuseUnparsable(rateLimiter: Pick<RateLimiter, 'peekAddress'>, error: Error, socket: Socket): Promise<void> {
  const decision = socket.remoteAddress === undefined ? null : await rateLimiter.peekAddress(socket.remoteAddress).catch(unknownDecision);
  if (!socket.writable) socket.destroy();
  else socket.end(rawErrorResponse((error as NodeJS.ErrnoException).code, randomUUID(), rateLimitHeaders(decision ?? unknownDecision())));
}
