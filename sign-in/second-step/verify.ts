import { z } from 'zod';
import { secondFactorOf } from '../../accounts/attempts.js';
import { PalisadeError } from '../../kit/base/errors.js';
import { secondSteps } from '../../accounts/factors/records.js';
import { auditRefusedSignIn, startSession, type SignInOutcome } from '../finish-sign-in.js';
import type { AuthParts, Client } from '../parts.js';
import { getChallenge, homesOfChallenge, refusedStep } from './challenge.js';
import { proveStep } from './proof.js';

/** Codes that may be tried in one sign-in; the failures of all sign-ins of a user count together beside it. */
const TRIES = 5;

export const verifyBody = z
  .strictObject({
    challenge_id: z.string().min(1).max(64).describe('The sign-in.'),
    code: z.string().trim().min(1).max(64).describe('The code of an authenticator app or a mail, or a recovery code.'),
    method: z.enum(['totp', 'email', 'recovery']).optional().describe('The only kind of code to take; every one of the user when absent.'),
  })
  .describe('The code of a second step.');

/**
 * Takes the code of a second step and completes the sign-in, once; where the user had no second factor, it is set up on the way.
 * @throws PalisadeError UNAUTHENTICATED for a wrong, used or expired code and for a sign-in that is over; RATE_LIMITED after too many failures
 */
export async function verifySecondStep(parts: AuthParts, client: Client, body: z.infer<typeof verifyBody>): Promise<SignInOutcome> {
  const challenge = await getChallenge(parts, client, body.challenge_id);
  const homes = await homesOfChallenge(parts, challenge);
  const {
    row: { _id, method, sso_tenant_id },
    user,
  } = challenge;
  const rows = parts.database.system(secondSteps);
  const attempt = await parts.bruteForce.begin(client.ip_address, secondFactorOf(user._id));
  let refused = false;
  try {
    if ((await rows.update({ _id, tries: { $lt: TRIES } }, { $inc: { tries: 1 } })).matched === 0) throw refusedStep();
    const proof = await proveStep(parts, challenge, body.code, body.method);
    let recovery_codes: readonly string[] | null = null;
    const signedIn = { user, homes, method, second_factor: true, sso_tenant_id };
    const outcome = await startSession(parts, client, signedIn, {
      shown: proof.shown,
      use: async (transaction) => {
        if ((await rows.remove({ _id }, { transaction })) === 0) throw refusedStep();
        recovery_codes = await proof.use(transaction, homes[0]!.tenant.tenant_id, client);
      },
    });
    return { ...outcome, result: { ...outcome.result, ...(recovery_codes !== null && { recovery_codes }) } };
  } catch (error) {
    refused = error instanceof PalisadeError && error.code === 'UNAUTHENTICATED';
    if (refused) await auditRefusedSignIn(parts, client, user, homes[0], 'second_factor');
    throw error;
  } finally {
    await attempt.settle(!refused);
  }
}
