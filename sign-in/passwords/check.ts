import type { AttemptSubject } from '../../accounts/attempts.js';
import type { UserRow } from '../../accounts/records.js';
import { FAILURES } from '../brute-force.js';
import type { AuthParts, Client } from '../parts.js';

/** Wrong passwords of one person who is signed in: no stranger can add to them. */
export const ownPasswordOf = (user: UserRow): AttemptSubject => ({ kind: 'own password', id: user._id, limit: FAILURES.account });

/**
 * Whether `password` is the one of an account that may be used.
 * @param counted whose wrong ones count together, for somebody who is signed in; as at sign-in when absent
 * @throws PalisadeError RATE_LIMITED after too many wrong ones
 */
export async function isPasswordOf(
  parts: AuthParts,
  client: Client,
  user: UserRow,
  password: string,
  counted?: AttemptSubject,
): Promise<boolean> {
  const { ip_address } = client;
  const attempt = await (counted
    ? parts.bruteForce.begin(ip_address, counted)
    : parts.bruteForce.beginSignIn({ ip_address, account: user.email, device: null }));
  const stored = user.state === 'active' ? user.password_hash : null;
  const right = await parts.passwords.verify(stored, password).catch(async (error: unknown) => {
    await attempt.settle(true);
    throw error;
  });
  await attempt.settle(right);
  return right;
}
