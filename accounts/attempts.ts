import { createHash } from 'node:crypto';
import { AttemptLines, type AttemptLine } from './attempt-lines.js';
import type { Clock } from '../kit/base/clock.js';
import { defineSystemCollection } from '../kit/store/collection.js';
import { date, number } from '../kit/store/fields.js';
import type { Database } from '../kit/store/database.js';
import { PalisadeError } from '../kit/base/errors.js';

/** Failures count within windows of this many milliseconds. */
const WINDOW = 15 * 60_000;

export const signInAttempts = defineSystemCollection(
  'sign_in_attempts',
  {
    /** Failed tries and those that are still being checked. */
    used: number,
    failures: number,
    expires_at: date,
  },
  [{ key: { expires_at: 1 }, options: { expireAfterSeconds: 0 } }],
);

/** A try that may go on; say how it ended, once. */
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

/** Where tries are counted. */
export interface AttemptServices {
  readonly database: Database;
  readonly clock: Clock;
}

/** Failed second steps of one person, wherever they are asked for: at sign-in, and before a factor is changed. */
export const secondFactorOf = (userId: string): AttemptSubject => ({ kind: 'second factor', id: userId, limit: 10 });

interface Window {
  readonly _id: string;
  readonly ends: Date;
  /** Seconds. */
  readonly left: number;
}

function windowOf({ clock }: AttemptServices, { kind, id }: Pick<AttemptSubject, 'kind' | 'id'>): Window {
  const now = clock.now().getTime();
  const number = Math.floor(now / WINDOW) + 1;
  const _id = `${kind}|${createHash('sha256').update(id).digest('base64url')}|${number}`;
  return { _id, ends: new Date(number * WINDOW), left: Math.ceil((number * WINDOW - now) / 1000) };
}

/** A refusal of a try: nothing was looked at. @param retry_after seconds */
export const tooManyTries = (limit: number, retry_after: number, refusal = 'Too many failed sign-ins'): PalisadeError =>
  new PalisadeError('RATE_LIMITED', refusal, { window: 'sign-in', limit, retry_after });

/** Books one try in one atomic step. @returns the tries with it, failed and under way; null when `limit` are booked already */
async function book({ database }: AttemptServices, { _id, ends }: Window, limit?: number): Promise<number | null> {
  const filter = { _id, ...(limit !== undefined && { used: { $lt: limit } }) };
  const update = { $inc: { used: 1 }, $setOnInsert: { failures: 0, expires_at: ends } };
  for (const upsert of [true, false]) {
    try {
      return (await database.system(signInAttempts).findAndUpdate(filter, update, { upsert, returnNew: true }))?.used ?? null;
    } catch (error) {
      // The row is there: full, or made by another process this very moment. The second try tells.
      if ((error as { code?: number }).code !== 11_000) throw error;
    }
  }
  return null;
}

/** A try that is counted in a window, and holds its place in this process, until it is settled. */
export interface Booking {
  readonly window: string;
  release(): void;
}

/** The attempt that `bookings` are of: they are settled in one command, and once. */
export const attemptOf = ({ database }: AttemptServices, bookings: readonly Booking[]): Attempt => ({
  async settle(succeeded) {
    const update = { $inc: succeeded ? { used: -1 } : { failures: 1 } };
    try {
      await database.system(signInAttempts).bulkUpdate(bookings.map(({ window }) => ({ _id: window, update })));
    } finally {
      for (const booking of bookings) booking.release();
    }
  },
});

const linesOf = new WeakMap<Database, AttemptLines>();
function getLines(database: Database): AttemptLines {
  const lines = linesOf.get(database) ?? new AttemptLines();
  linesOf.set(database, lines);
  return lines;
}

async function hasFailed(services: AttemptServices, { _id }: Window, limit: number): Promise<boolean> {
  const lines = getLines(services.database);
  if (lines.isFull(_id)) return true;
  const row = await services.database.system(signInAttempts).findOne({ _id });
  if (row === null || row.failures < limit) return false;
  // failures never grow less within a window, so that later tries in it need not ask again
  lines.markFull(_id);
  return true;
}

/** Refuses a try where this process has seen the window's failures used up; the store is not asked. @throws PalisadeError RATE_LIMITED */
export function assertNotRefused(services: AttemptServices, subject: AttemptSubject): void {
  const window = windowOf(services, subject);
  if (getLines(services.database).isFull(window._id)) throw tooManyTries(subject.limit, window.left, subject.refusal);
}

/** A subject of a try with its window, and its line in this process. */
interface Place extends AttemptSubject {
  readonly window: Window;
  readonly line: AttemptLine;
}

/** A try whose turn it is in this process. */
export interface Turn {
  /** Counts the try at each of its subjects, once; see `allOrNone`. They throw PalisadeError RATE_LIMITED with the seconds to wait. */
  book(): readonly Promise<Booking>[];
}

/**
 * Waits for the turn of a try. Where only tries under way fill a limit, it waits in this process for one of them to end.
 * @throws PalisadeError RATE_LIMITED where this process knows that the failures of a window are used up, or too many tries wait
 */
export async function takeTurn(services: AttemptServices, subjects: readonly AttemptSubject[]): Promise<Turn> {
  const lines = getLines(services.database);
  for (const subject of subjects) assertNotRefused(services, subject);
  const places = subjects.map((subject): Place => {
    const window = windowOf(services, subject);
    return { ...subject, window, line: lines.lineOf(window._id, subject.limit) };
  });
  const entered = await Promise.all(places.map(({ line }) => line.enter()));
  const refused = places[entered.indexOf(false)];
  if (!refused) return { book: () => places.map((place) => bookPlace(services, place)) };
  for (const [index, { line }] of places.entries()) if (entered[index]) line.leave();
  throw tooManyTries(refused.limit, 1, refused.refusal);
}

/** What is booked side by side: all of it, or nothing. @throws what one of them throws */
export async function allOrNone(services: AttemptServices, bookings: readonly Promise<Booking>[]): Promise<readonly Booking[]> {
  const booked = await Promise.allSettled(bookings);
  const made = booked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refusal = booked.find((one) => one.status === 'rejected');
  if (!refusal) return made;
  await attemptOf(services, made).settle(true);
  throw refusal.reason;
}

async function bookPlace(services: AttemptServices, { window, line, limit, refusal }: Place): Promise<Booking> {
  try {
    while ((await book(services, window, limit)) === null) {
      if (await hasFailed(services, window, limit)) throw tooManyTries(limit, window.left, refusal);
      if (!(await line.otherEnds())) throw tooManyTries(limit, 1, refusal);
    }
  } catch (error) {
    line.leave();
    throw error;
  }
  line.hold();
  return { window: window._id, release: () => line.release() };
}

/**
 * Books a try before the secret is looked at, so that parallel guesses are counted too. The counters are in the store, shared by all
 * processes; successes cost nothing. A try beyond the limit of a subject is refused at once.
 * @throws PalisadeError RATE_LIMITED with the seconds to wait
 */
export async function beginAttempt(services: AttemptServices, ...subjects: readonly AttemptSubject[]): Promise<Attempt> {
  const turn = await takeTurn(services, subjects);
  return attemptOf(services, await allOrNone(services, turn.book()));
}

/** Tries that are never refused, and wait the longer the more of them have failed: up to `free`, not at all. */
export interface SlowedSubject {
  readonly kind: string;
  readonly id: string;
  readonly free: number;
}

/** Milliseconds: the longest delay of a try. */
export const LONGEST_DELAY = 30_000;

/** Milliseconds that a try waits after `failures`: a second once `free` are used up, twice as long for each further `free`, 30 seconds at most. */
export const delayAfter = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min(LONGEST_DELAY, 1_000 * 2 ** Math.floor((failures - free) / free));

/** Books a try at a subject that refuses nobody. @returns it, with the milliseconds that it has to wait before the secret is looked at */
export async function bookSlowed(services: AttemptServices, subject: SlowedSubject): Promise<Booking & { readonly delay: number }> {
  const window = windowOf(services, subject);
  const tries = (await book(services, window)) ?? 1;
  return { delay: delayAfter(tries - 1, subject.free), window: window._id, release: () => undefined };
}
