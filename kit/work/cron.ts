import { Cron } from 'croner';
import type { Violation } from '../base/errors.js';

/** When something is to happen again and again, as people write it. */
export interface Timetable {
  /** Five fields: minute, hour, day of month, month, day of week; or a name such as `@daily`. */
  readonly cron: string;
  /** Name in the IANA database: `Europe/Berlin`. */
  readonly time_zone: string;
}

/** What fires no more within nine years is taken to fire never: 29 February comes after eight at the latest. */
const HORIZON_MS = 9 * 366 * 86_400_000;
/** Firings that are looked at for how close they are. */
const COMPARED = 25;
/** Of a pattern: the longest that says something stays under it. */
const MOST_CHARACTERS = 120;
/** A pattern of a single moment is no timetable, though croner reads one. */
const ONCE = /^\d{4}-/;

function isZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone) && !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

const timesOf = ({ cron, time_zone }: Timetable, from: Date): Cron =>
  new Cron(cron, { timezone: time_zone, mode: '5-part', paused: true, stopAt: new Date(from.getTime() + HORIZON_MS).toISOString() });

/**
 * The first firing after a moment. A time that a change to summer time skips fires when the clocks have been put forward, and one that comes twice fires once.
 * @returns null when it fires no more
 */
export const nextFiring = (timetable: Timetable, after: Date): Date | null => timesOf(timetable, after).nextRun(after);

/**
 * What is wrong with a timetable: a pattern that cannot be read, a zone that does not exist, a time that never comes, firings too close to each other.
 * @param path of the object that holds `cron` and `time_zone` in the body
 * @param shortestMs milliseconds between firings that are allowed at least
 */
export function checkTimetable(timetable: Timetable, from: Date, path: string, shortestMs: number): Violation[] {
  const cron = { path: `${path}.cron` };
  if (!isZone(timetable.time_zone))
    return [{ path: `${path}.time_zone`, message: 'is no time zone of the IANA database, such as Europe/Berlin or UTC' }];
  if (timetable.cron.length > MOST_CHARACTERS || ONCE.test(timetable.cron.trim()))
    return [{ ...cron, message: 'must have five fields: minute, hour, day of month, month, day of week' }];
  let firings: Date[];
  try {
    firings = timesOf(timetable, from).nextRuns(COMPARED, from);
  } catch (error) {
    return [{ ...cron, message: `cannot be read: ${(error as Error).message.replace(/^CronPattern: /, '').slice(0, 200)}` }];
  }
  if (firings.length === 0) return [{ ...cron, message: 'names a time that never comes' }];
  const isTooClose = firings.some((at, n) => n > 0 && at.getTime() - firings[n - 1]!.getTime() < shortestMs);
  return isTooClose ? [{ ...cron, message: `must leave ${Math.round(shortestMs / 60_000)} minutes between two firings` }] : [];
}
