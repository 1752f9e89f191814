import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kit/base/clock.js';
import { defineSystemCollection } from '../kit/store/collection.js';
import type { Database } from '../kit/store/database.js';
import { PalisadeError } from '../kit/base/errors.js';

/** Failures count within windows of this many milliseconds. */
const WINDOW = 15 * 60_000;

/** How long a try waits for others of the same subject to end, in steps; milliseconds. */
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

/** Whose failures are counted together, and how many there may be in a window. */
export interface AttemptSubject {
  readonly kind: string;
  readonly id: string;
  readonly limit: number;
  /** What the refusal says; failed sign-ins when absent. */
  readonly refusal?: string;
}

/** Failed second steps of one person, wherever they are asked for: at sign-in, and before a factor is changed. */
export const secondFactorOf = (userId: string): AttemptSubject => ({ kind: 'second factor', id: userId, limit: 10 });

/**
 * Books a try before the secret is looked at, so that parallel guesses are counted too. The counters are in the store, shared by all
 * processes; successes cost nothing.
 * @throws PalisadeError RATE_LIMITED with the seconds to wait
 */
export async function beginAttempt(
  { database, clock }: { database: Database; clock: Clock },
  { kind, id, limit, refusal = 'Too many failed sign-ins' }: AttemptSubject,
): Promise<Attempt> {
  const rows = database.system(signInAttempts);
  const now = clock.now().getTime();
  const end = (Math.floor(now / WINDOW) + 1) * WINDOW;
  const _id = `${kind}|${createHash('sha256').update(id).digest('base64url')}|${end / WINDOW}`;

  /** One atomic step: takes a place if there is one. */
  const take = async (): Promise<boolean> => {
    for (const upsert of [true, false]) {
      try {
        const update = { $inc: { used: 1 }, $setOnInsert: { failures: 0, expires_at: new Date(end) } };
        return (await rows.findAndUpdate({ _id, used: { $lt: limit } }, update, { upsert, returnNew: true })) !== null;
      } catch (error) {
        // The row is there: full, or made by another process this very moment. The second try tells.
        if ((error as { code?: number }).code !== 11_000) throw error;
      }
    }
    return false;
  };

  const full = (retry_after: number) => new PalisadeError('RATE_LIMITED', refusal, { window: 'sign-in', limit, retry_after });
  for (let waited = 0; !(await take()); waited += STEP) {
    const row = await rows.findOne({ _id });
    if (row !== null && row.failures >= limit) throw full(Math.ceil((end - now) / 1000));
    if (waited >= PATIENCE) throw full(1);
    await sleep(STEP);
  }
  return {
    settle: async (succeeded) => void (await rows.update({ _id }, { $inc: succeeded ? { used: -1 } : { failures: 1 } })),
  };
}
