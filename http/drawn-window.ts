import { half, type Counter } from './rate-window.js';

/** Calls of users by key. */
type Calls = Map<string, number>;

const add = (calls: Calls, user: string, count: number): void => void calls.set(user, (calls.get(user) ?? 0) + count);

/** One window as this process knows it: what it has drawn from the store and may still spend, and who has called. */
export class DrawnWindow {
  /** Counted in the store when it was asked last; null before that. */
  private counted: number | null = null;
  /** Drawn by this process and not spent. */
  private unspent = 0;
  /** Calls of each user: those that the store knew of, and those of this process since. */
  private calls: Calls = new Map();
  /** Calls that the store has not been told of by user. */
  private readonly untold: Calls = new Map();

  get isKnown(): boolean {
    return this.counted !== null;
  }

  /** Calls that `user` has left; it does not grow while the window lasts. */
  left(user: string | null, limit: number): number {
    const free = limit - (this.counted ?? 0) + this.unspent;
    const own = user === null ? undefined : this.calls.get(user);
    const areOthers = user !== null && this.calls.size > (own === undefined ? 0 : 1);
    return Math.min(free, areOthers ? half(limit) - (own ?? 0) : limit);
  }

  canSpend(cost: number): boolean {
    return this.unspent >= cost;
  }

  spend(user: string | null, cost: number): void {
    this.unspent -= cost;
    if (user === null) return;
    add(this.calls, user, cost);
    add(this.untold, user, cost);
  }

  /** Calls to draw so that `cost` can be spent at once: up to `block`, and never more than there are. */
  wanted(cost: number, block: number, limit: number): number {
    return Math.max(0, Math.min(Math.max(block, cost) - this.unspent, limit - (this.counted ?? 0)));
  }

  /** Calls to tell the store by user. */
  toTell(): ReadonlyMap<string, number> {
    return new Map(this.untold);
  }

  /** Takes what the store answered to a draw of `count`, with which it was told of `told`; none of both when it was only read. */
  learn({ t = 0, u = {} }: Counter = {}, count = 0, told: ReadonlyMap<string, number> = new Map()): void {
    this.counted = t;
    this.unspent += count;
    for (const [user, calls] of told) {
      if (this.untold.get(user) === calls) this.untold.delete(user);
      else add(this.untold, user, -calls);
    }
    this.calls = new Map(Object.entries(u));
    for (const [user, calls] of this.untold) add(this.calls, user, calls);
  }
}
