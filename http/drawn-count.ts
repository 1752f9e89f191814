import { BoundedCache } from '../kit/base/bounded-cache.js';
import type { Clock } from '../kit/base/clock.js';
import { DrawnWindow } from './drawn-window.js';
import type { Limits } from './rate-limits.js';
import {
  minuteKey,
  placeOf,
  withoutPast,
  type CallCounter,
  type Place,
  type RateRows,
  type Subject,
  type WindowLeft,
} from './rate-window.js';

/** Calls a minute up to which each is counted by itself. */
const EXACT_UP_TO = 100;
/** Share of a window that a process draws at once. */
const BLOCK_SHARE = 0.02;
/** Subjects whose blocks a process keeps; one that is forgotten loses what it had not spent. */
const KEPT = 10_000;

/** Calls that a process draws at once; null for limits whose calls are counted one by one. */
export const blockOf = ({ minute, hour }: Limits): number | null =>
  minute <= EXACT_UP_TO ? null : Math.max(1, Math.floor(Math.min(minute, hour) * BLOCK_SHARE));

/** What a process holds of one subject. */
interface Holding {
  place: Place;
  hour: DrawnWindow;
  minute: DrawnWindow;
  /** The draw that is under way: others wait for it, and then look again. */
  drawing: Promise<unknown> | null;
}

const windowsOf = ({ user, limits }: Subject, { hour, minute }: Holding): readonly [WindowLeft, WindowLeft] => [
  { window: 'hour', limit: limits.hour, left: hour.left(user, limits.hour) },
  { window: 'minute', limit: limits.minute, left: minute.left(user, limits.minute) },
];

/**
 * Counts calls that a process has drawn from the store in blocks. A block counts in the store when it is drawn, so all processes together admit
 * no more than the limit; what a process has not spent when a window ends is lost, at most a block. Who has called, the store is told with the next
 * draw: the half that one user may use is exact in one process, and a block of each other process late between several.
 */
export class DrawnCount implements CallCounter {
  private readonly holdings = new BoundedCache<Holding>(KEPT);

  constructor(
    private readonly rows: RateRows,
    private readonly clock: Clock,
  ) {}

  async charge(subject: Subject, cost: number) {
    const { user } = subject;
    for (;;) {
      const now = Math.floor(this.clock.now().getTime() / 1000);
      const holding = this.holdingOf(subject, now);
      const left = windowsOf(subject, holding);
      if (left.some((window) => window.left < cost)) return { allowed: false, left, now };
      if (holding.hour.canSpend(cost) && holding.minute.canSpend(cost)) {
        holding.hour.spend(user, cost);
        holding.minute.spend(user, cost);
        return { allowed: true, left: windowsOf(subject, holding), now };
      }
      if (holding.drawing) {
        // its failure is told to who began it
        await holding.drawing.catch(() => undefined);
        continue;
      }
      holding.drawing = this.draw(subject, holding, cost);
      try {
        await holding.drawing;
      } finally {
        holding.drawing = null;
      }
    }
  }

  async look(subject: Subject) {
    const now = Math.floor(this.clock.now().getTime() / 1000);
    const holding = this.holdingOf(subject, now);
    if (!holding.hour.isKnown || !holding.minute.isKnown) {
      const { hour, minute, place } = holding;
      const row = await this.rows.findOne({ _id: place._id });
      if (!hour.isKnown) hour.learn(row?.h);
      if (!minute.isKnown) minute.learn(row?.m?.[minuteKey(place.minute)]);
    }
    return { left: windowsOf(subject, holding), now };
  }

  /** What is held at `now`: what was left of an hour is good in all of its minutes. */
  private holdingOf(subject: Subject, now: number): Holding {
    const place = placeOf(subject, now);
    const make = (): Holding => ({ place, hour: new DrawnWindow(), minute: new DrawnWindow(), drawing: null });
    const holding = this.holdings.getOrMake(subject.id, make);
    const isHour = holding.place.hour === place.hour;
    if (!isHour) holding.hour = new DrawnWindow();
    if (!isHour || holding.place.minute !== place.minute) holding.minute = new DrawnWindow();
    holding.place = place;
    return holding;
  }

  /** Draws a block for both windows. What lies beyond a limit is counted and never spent, so the draw needs no condition. */
  private async draw({ limits }: Subject, { place, hour, minute }: Holding, cost: number): Promise<void> {
    const block = blockOf(limits) ?? cost;
    const key = minuteKey(place.minute);
    const drawn = [
      { window: hour, path: 'h', count: hour.wanted(cost, block, limits.hour), told: hour.toTell() },
      { window: minute, path: `m.${key}`, count: minute.wanted(cost, block, limits.minute), told: minute.toTell() },
    ] as const;
    const counts = drawn.flatMap(({ path, count, told }) => [
      [`${path}.t`, count] as const,
      ...[...told].map(([user, calls]) => [`${path}.u.${user}`, calls] as const),
    ]);
    const { _id, expires_at } = place;
    const update = { $inc: Object.fromEntries(counts), $setOnInsert: { expires_at }, ...withoutPast(place) };
    const row = await this.rows.findAndUpdate({ _id }, update, { upsert: true, returnNew: true }).catch(unlessMadeMeanwhile);
    if (row === null) return;
    drawn[0].window.learn(row.h, drawn[0].count, drawn[0].told);
    drawn[1].window.learn(row.m[key], drawn[1].count, drawn[1].told);
  }
}

/** Another process has made the row at the same moment: the draw is begun again. */
function unlessMadeMeanwhile(error: unknown): null {
  if ((error as { code?: number }).code !== 11_000) throw error;
  return null;
}
