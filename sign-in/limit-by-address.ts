import type { FastifyInstance } from 'fastify';
import { admitCall, type RateLimiter } from '../http/rate-limit.js';

/** Counts the calls of `app`'s routes against their address, and keeps their answers out of every cache. */
export function limitByAddress(app: FastifyInstance, rateLimiter: RateLimiter | undefined): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('cache-control', 'no-store');
    const decision = await rateLimiter?.consumeAddress(request.ip);
    if (decision) admitCall(reply, decision);
  });
}
