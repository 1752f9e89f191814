import type { FastifyReply } from 'fastify';
import { setSessionCookie } from './cookie.js';
import type { SignInOutcome } from './finish-sign-in.js';

/**
 * Ends a sign-in that a browser has come to by links and forms: sets the cookie and goes to `returnTo`, or to the page of the second step.
 * @param returnTo a path that has passed `safeReturnTo`
 */
export function redirectAfterSignIn(
  reply: FastifyReply,
  { result, token }: SignInOutcome,
  returnTo: string,
  publicUrl?: string,
): FastifyReply {
  if (token !== null) {
    setSessionCookie(reply.request, reply, token, publicUrl);
    return reply.redirect(returnTo, 303);
  }
  const challenge_id = 'challenge_id' in result && typeof result.challenge_id === 'string' ? result.challenge_id : '';
  return reply.redirect(`/auth/second-step?${new URLSearchParams({ challenge_id, return_to: returnTo }).toString()}`, 303);
}
