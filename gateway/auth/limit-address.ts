import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertAllowed, setRateLimitHeaders, type RateLimiter } from '../rate-limit.js';

/** Counts a call against its address; nothing where no limiter is given. @throws PalisadeError RATE_LIMITED */
export async function limitAddress(rateLimiter: RateLimiter | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const decision = await rateLimiter?.consumeAddress(request.ip);
  if (!decision) return;
  setRateLimitHeaders(reply, decision);
  assertAllowed(decision);
}
