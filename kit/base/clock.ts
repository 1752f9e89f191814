/** The time, so that tests can set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands at `at` until `set` or `advance` moves it; for tests. */
export function fixedClock(at: string): Clock & { set(at: string): void; advance(milliseconds: number): void } {
  let now = Date.parse(at);
  return {
    now: () => new Date(now),
    set: (to) => void (now = Date.parse(to)),
    advance: (milliseconds) => void (now += milliseconds),
  };
}
