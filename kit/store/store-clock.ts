import { systemClock, type Clock } from '../base/clock.js';

/** Milliseconds between two comparisons with the store. */
const COMPARE_EVERY = 10_000;

/**
 * The time of the store, which is one for all processes, whatever the clocks of their machines say. Between two comparisons it goes on steadily:
 * a clock that is set, and a machine that sleeps, move it no further ahead. Where the clocks agree as closely as the round trip lets one see,
 * it is that of the process.
 */
export class StoreClock implements Clock {
  /** What the steady clock of the process lacks to the store's time, in milliseconds. */
  private lacks: number;
  private readonly comparing: NodeJS.Timeout;

  /**
   * @param timeOfStore asks the store for its time
   * @param own the clock of the process, which it follows until `compare` is called
   */
  constructor(
    private readonly timeOfStore: () => Promise<Date>,
    own: Clock = systemClock,
  ) {
    this.lacks = own.now().getTime() - performance.now();
    // a store that does not answer is asked again
    this.comparing = setInterval(() => void this.compare().catch(() => undefined), COMPARE_EVERY).unref();
  }

  now(): Date {
    return new Date(this.read());
  }

  close(): void {
    clearInterval(this.comparing);
  }

  /**
   * Moves this clock as little as makes it agree with the store's, which was read somewhere between question and answer. It is called again and
   * again until `close`.
   * @throws when the store does not answer
   */
  async compare(): Promise<void> {
    const asked = performance.now();
    const time = (await this.timeOfStore()).getTime();
    const [earliest, latest] = [this.read(asked), this.read()];
    if (time > latest) this.lacks += time - latest;
    // the store tells whole milliseconds
    else if (time + 1 < earliest) this.lacks -= earliest - time - 1;
  }

  private read(steady = performance.now()): number {
    return this.lacks + steady;
  }
}
