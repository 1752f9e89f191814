import { z } from 'zod';
import { invalid } from '../../kit/base/errors.js';
import { sendCode } from '../../accounts/factors/mailed-codes.js';
import type { AuthParts, Client } from '../parts.js';
import { getChallenge } from './challenge.js';

export const sendBody = z
  .strictObject({ challenge_id: z.string().min(1).max(64).describe('The sign-in.') })
  .describe('The sign-in that a code is to be mailed for.');
export const codeSentAnswer = z
  .strictObject({ expires_in: z.int().describe('Seconds that the code lives.') })
  .describe('A code is on its way.');

/**
 * Mails the code of a second step, for who has chosen codes by e-mail or is about to.
 * @returns the seconds that the code lives
 * @throws PalisadeError UNAUTHENTICATED when the sign-in is over; VALIDATION_ERROR when it takes no code by e-mail; RATE_LIMITED after five
 *   mails in a quarter of an hour; UPSTREAM_UNAVAILABLE when the mail server does not take it
 */
export async function sendStepCode(
  parts: AuthParts,
  client: Client,
  { challenge_id }: z.infer<typeof sendBody>,
): Promise<z.infer<typeof codeSentAnswer>> {
  const { row, user, methods } = await getChallenge(parts, client, challenge_id);
  if (!methods.includes('email')) throw invalid([{ path: 'challenge_id', message: 'This sign-in takes no code by e-mail' }]);
  return { expires_in: await sendCode(parts, user, row._id) };
}
