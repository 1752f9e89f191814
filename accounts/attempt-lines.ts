/** Tries that wait in one line of a process. */
const WAITING = 50;
/** Used-up windows that a process remembers. */
const REMEMBERED = 10_000;

/** The tries at one subject that a process has under way: a part of what the limit allows runs, a bounded number waits its turn. */
export class AttemptLine {
  private running = 0;
  private held = 0;
  private readonly waiting: (() => void)[] = [];
  private released: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly forget: () => void,
  ) {}

  /** Waits its turn. @returns false when too many wait already */
  async enter(): Promise<boolean> {
    if (this.running < this.most) {
      this.running++;
      return true;
    }
    if (this.waiting.length >= WAITING) return false;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    return true;
  }

  /** Gives the turn to the next. */
  leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else if (--this.running === 0) this.forget();
  }

  /** Notes that the try of this turn has its place. */
  hold(): void {
    this.held++;
  }

  /** Ends a try that held a place. */
  release(): void {
    this.held--;
    const waiting = this.released;
    this.released = [];
    for (const resolve of waiting) resolve();
    this.leave();
  }

  /** Waits for another try of this process to give its place up. @returns false at once when none holds one */
  async otherEnds(): Promise<boolean> {
    if (this.held === 0) return false;
    await new Promise<void>((resolve) => this.released.push(resolve));
    return true;
  }
}

/** What one process knows of tries: the lines of those under way, and the windows that are used up. */
export class AttemptLines {
  private readonly lines = new Map<string, AttemptLine>();
  private readonly full = new Set<string>();

  /** @param limit of the subject; a third of it runs at a time, so that a few processes together stay below it */
  lineOf(id: string, limit: number): AttemptLine {
    const line = this.lines.get(id) ?? new AttemptLine(Math.ceil(limit / 3), () => this.lines.delete(id));
    this.lines.set(id, line);
    return line;
  }

  isFull(id: string): boolean {
    return this.full.has(id);
  }

  /** Remembers that a window is used up; no later one has its id. */
  markFull(id: string): void {
    this.full.add(id);
    if (this.full.size > REMEMBERED) this.full.delete(this.full.values().next().value!);
  }
}
