import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../subgraphs/_kit/clock.js';
import { defineSystemCollection } from '../../subgraphs/_kit/collection.js';
import type { Database } from '../../subgraphs/_kit/database.js';
import { PalisadeError } from '../../subgraphs/_kit/errors.js';
import { addressKey } from '../address-key.js';

/** Failed sign-ins within one window of `WINDOW` milliseconds. Successful ones cost nothing. Each mail that resets a password counts, too. */
export const FAILURES = { account: 10, address: 100, reset: 3 } as const;
const WINDOW = 15 * 60_000;

/** How long a try waits for others of the same account to end, in steps; milliseconds. */
const PATIENCE = 3_000;
const STEP = 50;

interface AttemptRow {
  _id: string;
  /** Failed tries and those that are still being checked. */
  used: number;
  failures: number;
  expires_at: Date;
}

export const signInAttempts = defineSystemCollection<AttemptRow>('sign_in_attempts', { used: Number, failures: Number, expires_at: Date }, [
  { key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } },
]);

/** A try that may go on; say how it ended. */
export interface Attempt {
  settle(succeeded: boolean): Promise<void>;
}

export interface BruteForceGuard {
  /**
   * Books a try before the password is looked at, so that parallel guesses are counted too. An account that does not exist is counted
   * as any other.
   * @param kind which of the account's limits
   * @throws PalisadeError RATE_LIMITED with the seconds to wait
   */
  begin(ipAddress: string, account: string, kind?: 'account' | 'reset'): Promise<Attempt>;
}

/** Limits failed sign-ins per address and per account; the counters are in the store, shared by all processes. */
export function createBruteForceGuard(database: Database, clock: Clock): BruteForceGuard {
  const rows = database.system(signInAttempts);

  /** One atomic step: takes a place if there is one. */
  const take = async (_id: string, limit: number, expires_at: Date): Promise<boolean> => {
    for (const upsert of [true, false]) {
      try {
        const update = { $inc: { used: 1 }, $setOnInsert: { failures: 0, expires_at } };
        return (await rows.findAndUpdate({ _id, used: { $lt: limit } }, update, { upsert, returnNew: true })) !== null;
      } catch (error) {
        // The row is there: full, or made by another process this very moment. The second try tells.
        if ((error as { code?: number }).code !== 11_000) throw error;
      }
    }
    return false;
  };

  const reserve = async (kind: keyof typeof FAILURES, subject: string): Promise<Attempt> => {
    const now = clock.now().getTime();
    const end = (Math.floor(now / WINDOW) + 1) * WINDOW;
    const limit = FAILURES[kind];
    const _id = `${kind}|${createHash('sha256').update(subject).digest('base64url')}|${end / WINDOW}`;
    const full = (retry_after: number) =>
      new PalisadeError('RATE_LIMITED', kind === 'reset' ? 'Too many mails were asked for' : 'Too many failed sign-ins', {
        window: 'sign-in',
        limit,
        retry_after,
      });
    for (let waited = 0; !(await take(_id, limit, new Date(end))); waited += STEP) {
      const row = await rows.findOne({ _id });
      if (row !== null && row.failures >= limit) throw full(Math.ceil((end - now) / 1000));
      if (waited >= PATIENCE) throw full(1);
      await sleep(STEP);
    }
    return {
      settle: async (succeeded) => void (await rows.update({ _id }, { $inc: succeeded ? { used: -1 } : { failures: 1 } })),
    };
  };

  return {
    async begin(ipAddress, account, kind = 'account') {
      const address = await reserve('address', addressKey(ipAddress));
      const own = await reserve(kind, account).catch(async (error: unknown) => {
        await address.settle(true);
        throw error;
      });
      return { settle: async (succeeded) => void (await Promise.all([address.settle(succeeded), own.settle(succeeded)])) };
    },
  };
}
