import { randomInt } from 'node:crypto';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A delivery that was not sent within this time is given up; milliseconds. */
export const LIFETIME = 24 * HOUR;

/** How long a delivery waits after its first, second, … failure; the last one is repeated. */
const RETRY_AFTER = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR];

/** Failures in a row after which an endpoint is left alone, and for how long: the first time, the second, … */
export const FAILING = 3;
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE];
/** An endpoint that asks for more patience than this is asked again all the same. */
const LONGEST_WISH = HOUR;

const at = (steps: readonly number[], n: number): number => steps[Math.min(n, steps.length - 1)]!;

/** Milliseconds until the next try after `tries` of them, a tenth more or less, so that what failed together does not come back together. */
export function retryDelay(tries: number): number {
  const delay = at(RETRY_AFTER, tries - 1);
  return delay + randomInt(-delay / 10, delay / 10 + 1);
}

/** Milliseconds for which a failing endpoint is left alone after it was `pauses` times before. */
export const pauseAfter = (pauses: number): number => at(PAUSES, pauses);

/** Retry-After (RFC 9110, 10.2.3) in milliseconds: seconds or a date; null when there is none that can be read. */
export function retryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const wish = /^\d{1,9}$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now.getTime();
  return Number.isNaN(wish) ? null : Math.min(Math.max(wish, 0), LONGEST_WISH);
}
