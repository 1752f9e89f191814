/** Milliseconds that work may take in one piece: whatever else waits is answered in between. */
const SLICE_MS = 5;

/** Lets everything that waits go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Cuts long work into pieces: `if (slice.over()) await slice.next()`. */
export class Slice {
  #until = performance.now() + SLICE_MS;

  /** Whether this piece has lasted long enough. */
  over(): boolean {
    return performance.now() > this.#until;
  }

  /** Waits for the next piece. */
  async next(): Promise<void> {
    await nextTurn();
    this.#until = performance.now() + SLICE_MS;
  }
}
