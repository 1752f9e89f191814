import type { FastifyReply } from 'fastify';
import type { SignInOutcome } from './finish-sign-in.js';
import type { AuthParts } from './parts.js';
import { setSignInCookies } from './sign-in-cookies.js';

/** The page that asks a browser for the second step of a sign-in. */
export const SECOND_STEP_PAGE = '/auth/second-step';

/**
 * How a sign-in of a browser goes on: with the session's cookie to the page that it came for, or to the page of the second step.
 * @param returnTo a path of this origin, as `safeReturnTo` gives it
 */
export async function redirectAfterSignIn(
  parts: Pick<AuthParts, 'devices' | 'publicUrl'>,
  reply: FastifyReply,
  outcome: SignInOutcome,
  returnTo: string,
): Promise<FastifyReply> {
  void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
  const { result } = outcome;
  await setSignInCookies(parts, reply, outcome);
  return reply.redirect('challenge_id' in result ? secondStepUrl(result.challenge_id, returnTo) : returnTo, 302);
}

const secondStepUrl = (challenge_id: string, return_to: string): string =>
  `${SECOND_STEP_PAGE}?${new URLSearchParams({ challenge_id, return_to }).toString()}`;
