import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unauthenticated } from '../kit/base/errors.js';
import { auditRefusedSignIn, finishSignIn, type SignInOutcome } from './finish-sign-in.js';
import { openWithoutSso } from './homes.js';
import { clientOf, type AuthParts } from './parts.js';
import { findKnownDevice } from './remembered-device.js';
import { askStrategies } from './strategies.js';

/** Refused sign-ins leave at the next multiple of this many milliseconds, so that their time tells nothing of the account. */
const BEAT = 250;

export const loginBody = z
  .strictObject({
    email: z.string().trim().toLowerCase().min(1).max(254).describe('E-mail address.'),
    password: z.string().min(1).max(1_024).meta({ format: 'password', description: 'Password.' }),
  })
  .describe('Credentials.');

/**
 * Signs in with e-mail address and password.
 * @throws PalisadeError UNAUTHENTICATED, alike for wrong passwords and for accounts that do not exist, are disabled, have no password or
 *   must come through their identity provider; RATE_LIMITED after too many failures
 */
export async function login(parts: AuthParts, request: FastifyRequest, body: z.infer<typeof loginBody>): Promise<SignInOutcome> {
  const began = performance.now();
  const client = clientOf(request);
  const device = await findKnownDevice(parts, request, body.email);
  const attempt = await parts.bruteForce.beginSignIn({ ip_address: client.ip_address, account: body.email, device });
  const answer = await askStrategies(parts.strategies, { kind: 'password', ...body }).catch(async (error: unknown) => {
    await attempt.settle(true);
    throw error;
  });
  const homes = openWithoutSso(answer.homes, answer.user);
  if (answer.verdict === 'refused' || homes.length === 0) {
    await attempt.settle(false);
    const reason = answer.verdict === 'refused' ? answer.reason : answer.homes.length > 0 ? 'sso_required' : 'account';
    await auditRefusedSignIn(parts, client, answer.user, answer.homes[0], reason);
    await sleep(BEAT - ((performance.now() - began) % BEAT));
    throw unauthenticated('The e-mail address or the password is wrong');
  }
  const { user, method, second_factor } = answer;
  const signedIn = { user, homes, method, second_factor, sso_tenant_id: null };
  const [outcome] = await Promise.all([finishSignIn(parts, client, signedIn), attempt.settle(true)]);
  return outcome;
}
