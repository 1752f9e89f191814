import { setTimeout as sleep } from 'node:timers/promises';
import {
  allOrNone,
  attemptOf,
  beginAttempt,
  bookSlowed,
  takeTurn,
  tooManyTries,
  type Attempt,
  type AttemptServices,
  type AttemptSubject,
} from '../accounts/attempts.js';
import { addressBlock, addressKey } from '../http/address-key.js';

export { signInAttempts, type Attempt } from '../accounts/attempts.js';

/** Failed sign-ins within one window. Successful ones cost nothing. Each mail that resets a password counts, too. */
export const FAILURES = { account: 10, address: 100, reset: 3 } as const;

/** Tries that may wait out their delay in this process: all, and those at one account. */
const DELAYED = { all: 200, account: 20 } as const;

/** Somebody who tries to sign in with an address and a secret of its owner. */
export interface SignInTry {
  readonly ip_address: string;
  /** The address that was typed, whether there is such an account or not. */
  readonly account: string;
  /** The device that shows a remembrance of this account (see `RememberedDevices`); null for any other. */
  readonly device: string | null;
}

export interface BruteForceGuard {
  /**
   * Books a try at what is guessed at before the secret is looked at, so that parallel guesses are counted too.
   * @throws PalisadeError RATE_LIMITED with the seconds to wait
   */
  begin(ipAddress: string, subject: AttemptSubject): Promise<Attempt>;
  /**
   * Books a try to sign in. An account that does not exist is counted as one that does. Failures count for the account in the block of the
   * address, and for the account as a whole, where they refuse nobody and make tries wait: so nobody locks an owner out from elsewhere.
   * A device that has signed in to the account before has a count of its own (decision 55).
   * @throws PalisadeError RATE_LIMITED with the seconds to wait
   */
  beginSignIn(signIn: SignInTry): Promise<Attempt>;
}

/**
 * Limits failed sign-ins; the counters are in the store, shared by all processes.
 * @param pause waits so many milliseconds
 */
export function createBruteForceGuard(
  { database, clock }: AttemptServices,
  pause: (milliseconds: number) => Promise<unknown> = sleep,
): BruteForceGuard {
  const services = { database, clock };
  const delayed = createDelays(pause);
  const addressOf = (ip: string): AttemptSubject => ({ kind: 'address', id: addressKey(ip), limit: FAILURES.address });

  return {
    begin: (ipAddress, subject) => beginAttempt(services, addressOf(ipAddress), subject),

    async beginSignIn({ ip_address, account, device }) {
      if (device !== null)
        return beginAttempt(services, { kind: 'device', id: JSON.stringify([device, account]), limit: FAILURES.account });
      const block = { kind: 'account in block', id: JSON.stringify([account, addressBlock(ip_address)]), limit: FAILURES.account };
      const subjects = [block, addressOf(ip_address)];
      // at the account as a whole a try counts once it has its turn: who waits for one makes nobody else wait
      const turn = await takeTurn(services, subjects);
      const slowed = bookSlowed(services, { kind: 'account', id: account, free: FAILURES.account });
      const bookings = await allOrNone(services, [slowed, ...turn.book()]);
      const whole = await slowed;
      if (whole.delay === 0) return attemptOf(services, bookings);
      // who waits takes no place from the others of the block
      await attemptOf(
        services,
        bookings.filter((booking) => booking !== whole),
      ).settle(true);
      try {
        await delayed.wait(account, whole.delay);
        const again = await takeTurn(services, subjects);
        return attemptOf(services, [whole, ...(await allOrNone(services, again.book()))]);
      } catch (error) {
        await attemptOf(services, [whole]).settle(true);
        throw error;
      }
    },
  };
}

/** Lets tries wait their delay out: a bounded number in all and for one account, so that waiting takes no memory without end. */
function createDelays(pause: (milliseconds: number) => Promise<unknown>) {
  const waiting = new Map<string, number>();
  let all = 0;
  return {
    async wait(account: string, delay: number): Promise<void> {
      const own = waiting.get(account) ?? 0;
      if (all >= DELAYED.all || own >= DELAYED.account) throw tooManyTries(FAILURES.account, Math.ceil(delay / 1_000));
      all++;
      waiting.set(account, own + 1);
      await pause(delay);
      all--;
      const left = waiting.get(account)! - 1;
      if (left > 0) waiting.set(account, left);
      else waiting.delete(account);
    },
  };
}
