import type { Clock } from '../kit/base/clock.js';
import {
  half,
  minuteKey,
  placeOf,
  withoutPast,
  type CallCounter,
  type Counter,
  type Place,
  type RateRow,
  type RateRows,
  type Subject,
  type WindowLeft,
} from './rate-window.js';

/** `used + cost` stays within `limit`; a counter that is not there yet is 0. */
const atMost = (limit: number) => ({ $not: { $gt: limit } });

/** The share of one user: half of the window, or all of it while nobody else has called (all calls are the user's own). */
const fair = (path: string, user: string, limit: number, cost: number) => ({
  $or: [{ [`${path}.u.${user}`]: atMost(half(limit) - cost) }, { $expr: { $eq: [`$${path}.t`, `$${path}.u.${user}`] } }],
});

function leftOf(counter: Counter | undefined, user: string | null, limit: number): number {
  const used = counter?.t ?? 0;
  const own = user === null ? used : (counter?.u?.[user] ?? 0);
  return Math.min(limit - used, used > own ? half(limit) - own : limit);
}

function windowsOf({ user, limits }: Subject, row: Pick<RateRow, 'h' | 'm'>, minute: number): readonly [WindowLeft, WindowLeft] {
  return [
    { window: 'hour', limit: limits.hour, left: leftOf(row.h, user, limits.hour) },
    { window: 'minute', limit: limits.minute, left: leftOf(row.m?.[minuteKey(minute)], user, limits.minute) },
  ];
}

/** Counts each call by itself: one atomic round trip, however many processes count at once. */
export class ExactCount implements CallCounter {
  constructor(
    private readonly rows: RateRows,
    private readonly clock: Clock,
  ) {}

  async charge(subject: Subject, cost: number) {
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const place = placeOf(subject, now);
    const { user, limits } = subject;
    const path = `m.${minuteKey(place.minute)}`;
    const fairness = user === null ? {} : { $and: [fair('h', user, limits.hour, cost), fair(path, user, limits.minute, cost)] };
    const filter = { _id: place._id, 'h.t': atMost(limits.hour - cost), [`${path}.t`]: atMost(limits.minute - cost), ...fairness };
    const shares = user === null ? {} : { [`h.u.${user}`]: cost, [`${path}.u.${user}`]: cost };
    const update = { $inc: { 'h.t': cost, [`${path}.t`]: cost, ...shares }, ...withoutPast(place) };
    // refused, or the first call of the hour
    for (let row: RateRow | null = null; ; row = await ensureRow(this.rows, place)) {
      const left = row && windowsOf(subject, row, place.minute);
      if (left?.some((window) => window.left < cost)) return { allowed: false, left, now };
      const charged = await this.rows.findAndUpdate(filter, update, { returnNew: true });
      if (charged) return { allowed: true, left: windowsOf(subject, charged, place.minute), now };
    }
  }

  async look(subject: Subject) {
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const { _id, minute } = placeOf(subject, now);
    const row = await this.rows.findOne({ _id });
    return { left: windowsOf(subject, row ?? { h: {}, m: {} }, minute), now };
  }
}

/** The row of an hour as it is; made empty when there is none, because an upsert cannot carry the condition of a count. */
async function ensureRow(rows: RateRows, { _id, expires_at }: Place): Promise<RateRow> {
  const known = await rows.findOne({ _id });
  if (known) return known;
  const empty: RateRow = { _id, h: {}, m: {}, expires_at };
  await rows.insert(empty).catch((error: unknown) => {
    if ((error as { code?: number }).code !== 11_000) throw error;
  });
  return empty;
}
