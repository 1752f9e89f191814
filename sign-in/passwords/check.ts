import type { UserRow } from '../../accounts/records.js';
import type { AuthParts, Client } from '../parts.js';

/**
 * Whether `password` is the one of an account that may be used. Wrong ones count against the account and the address, as at sign-in.
 * @throws PalisadeError RATE_LIMITED after too many wrong ones
 */
export async function isPasswordOf(parts: AuthParts, client: Client, user: UserRow, password: string): Promise<boolean> {
  const attempt = await parts.bruteForce.begin(client.ip_address, user.email);
  const stored = user.state === 'active' ? user.password_hash : null;
  const right = await parts.passwords.verify(stored, password).catch(async (error: unknown) => {
    await attempt.settle(true);
    throw error;
  });
  await attempt.settle(right);
  return right;
}
