import { createHash } from 'node:crypto';
import { defineSystemCollection, type RowOf } from '../kit/store/collection.js';
import type { Database } from '../kit/store/database.js';
import { date, object } from '../kit/store/fields.js';
import type { SystemCollection } from '../kit/store/tenant-collection.js';
import type { Limits } from './rate-limits.js';

/** Seconds of each window. */
export const WINDOWS = { minute: 60, hour: 3600 } as const;
export type RateWindow = keyof typeof WINDOWS;

/** Calls of one window: all, and by user. What a process has drawn and not spent counts among all, and for no user. */
export interface Counter {
  t?: number;
  u?: Record<string, number>;
}

/** One row for each subject and hour; the minutes lie in it by number, so that one atomic update decides and counts both windows. */
export const rateWindows = defineSystemCollection(
  'rate_windows',
  {
    h: object<Counter>(),
    m: object<Record<string, Counter>>(),
    expires_at: date,
  },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);
export type RateRow = RowOf<typeof rateWindows>;
export type RateRows = SystemCollection<RateRow>;

/** Whose calls are counted together. */
export interface Subject {
  readonly id: string;
  /** Key of the user within the row; null where there are no users. */
  readonly user: string | null;
  readonly limits: Limits;
}

/** The calendar hour and minute of a call, and the row of its subject. */
export interface Place {
  readonly _id: string;
  readonly expires_at: Date;
  /** Number of the hour since 1970, and of the minute within it. */
  readonly hour: number;
  readonly minute: number;
}

/** What a caller has left of one window. */
export interface WindowLeft {
  readonly window: RateWindow;
  readonly limit: number;
  readonly left: number;
}

/** How calls are counted: each by itself, or in blocks. `now` is in Unix seconds. */
export interface CallCounter {
  /** Counts a call of `cost` unless more than what is left, hour first. */
  charge(subject: Subject, cost: number): Promise<{ allowed: boolean; left: readonly [WindowLeft, WindowLeft]; now: number }>;
  look(subject: Subject): Promise<{ left: readonly [WindowLeft, WindowLeft]; now: number }>;
}

export const userKey = (id: string): string =>
  /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('base64url');

/** A field name that no path takes for the position in an array. */
export const minuteKey = (minute: number): string => `m${minute}`;

/** The share of one user while others call. */
export const half = (limit: number): number => Math.max(1, Math.floor(limit / 2));

export function placeOf({ id }: Subject, now: number): Place {
  const hour = Math.floor(now / WINDOWS.hour);
  return {
    _id: `${id}|${hour}`,
    expires_at: new Date((hour + 1) * WINDOWS.hour * 1000 + 300_000),
    hour,
    minute: Math.floor((now % WINDOWS.hour) / WINDOWS.minute),
  };
}

/** Minutes that are over go, so that the row stays small; the last one stays for a process whose clock is a little behind. */
export function withoutPast({ minute }: Place): { $unset?: Record<string, 1> } {
  const gone = [2, 3, 4].filter((back) => minute >= back).map((back) => [`m.${minuteKey(minute - back)}`, 1] as const);
  return gone.length ? { $unset: Object.fromEntries(gone) } : {};
}

export const rateRows = (database: Database): RateRows => database.system(rateWindows);
