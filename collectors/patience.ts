/** Milliseconds for which calls are made again while their provider throttles all of them. */
const MOST = 10 * 60_000;

/**
 * How long calls that belong together are made again while their provider throttles them: as long as it answers some of them now and then, and for a while when it
 * answers none.
 */
export class Patience {
  /** When the first call was throttled behind which none was answered. */
  private since: number | null = null;

  /** @param most milliseconds; ten minutes when absent */
  constructor(
    private readonly most = MOST,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes note that a call was let through. */
  answered(): void {
    this.since = null;
  }

  /** Takes note that a call was throttled. @returns whether it is made again after so many milliseconds */
  lasts(pause: number): boolean {
    this.since ??= this.now();
    return this.now() + pause - this.since < this.most;
  }

  /** What people are told of a call that was throttled to the end. */
  get told(): string {
    return `Calls are throttled: none was let through for ${this.most / 1_000} seconds`;
  }
}
