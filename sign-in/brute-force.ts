import { beginAttempt, type Attempt, type AttemptSubject } from '../accounts/attempts.js';
import type { Clock } from '../kit/base/clock.js';
import type { Database } from '../kit/store/database.js';
import { addressKey } from '../http/address-key.js';

export { signInAttempts, type Attempt } from '../accounts/attempts.js';

/** Failed sign-ins within one window. Successful ones cost nothing. Each mail that resets a password counts, too. */
export const FAILURES = { account: 10, address: 100, reset: 3 } as const;

export interface BruteForceGuard {
  /**
   * Books a try before the secret is looked at, so that parallel guesses are counted too. An account that does not exist is counted
   * as any other.
   * @param account the address that somebody signs in with, or what else is guessed at
   * @throws PalisadeError RATE_LIMITED with the seconds to wait
   */
  begin(ipAddress: string, account: string | AttemptSubject): Promise<Attempt>;
}

/** Limits failed sign-ins per address and per account; the counters are in the store, shared by all processes. */
export function createBruteForceGuard(database: Database, clock: Clock): BruteForceGuard {
  const reserve = (subject: AttemptSubject) => beginAttempt({ database, clock }, subject);
  return {
    async begin(ipAddress, account) {
      const subject = typeof account === 'string' ? { kind: 'account', id: account, limit: FAILURES.account } : account;
      const address = { kind: 'address', id: addressKey(ipAddress), limit: FAILURES.address };
      const booked = await Promise.allSettled([reserve(address), reserve(subject)]);
      const places = booked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const settle = async (succeeded: boolean) => void (await Promise.all(places.map((place) => place.settle(succeeded))));
      const refusal = booked.find((one) => one.status === 'rejected');
      if (!refusal) return { settle };
      await settle(true);
      throw refusal.reason;
    },
  };
}
