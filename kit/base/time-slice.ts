/** How long work may hold the thread that answers requests before it lets others take their turn, in milliseconds (decision 53). */
export const SLICE_MS = 10;

/** Work that waits for its next slice, the longest waiting first: one goes on in each turn of the event loop, however many there are. */
const waiting: (() => void)[] = [];
let scheduled = false;

/** When the work of this turn of the event loop began; 0 while none has begun. */
let began = 0;

function resumeNext(): void {
  scheduled = false;
  began = 0;
  waiting.shift()?.();
  schedule();
}

function schedule(): void {
  if (scheduled || waiting.length === 0) return;
  scheduled = true;
  // after input and output of this turn: whatever arrived meanwhile is answered first
  setImmediate(resumeNext);
}

/** Resolves in a later turn of the event loop, after whatever else is ready to run. */
export function otherCallers(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

/**
 * Whether the work of this turn of the event loop has taken its time, for work that is cut where it is not `async`: it goes on after
 * `otherCallers()`. What several callers do in one turn counts together.
 */
export function sliceIsOver(): boolean {
  if (began === 0) {
    began = performance.now();
    setImmediate(() => (began = 0));
    return false;
  }
  return performance.now() - began > SLICE_MS;
}

/**
 * Cuts long work into slices. Call what this gives between two pieces of the work, and await the promise where there is one: it is there
 * when the slice is used up, and resolves when others have had their turn. No answer may depend on where the cuts fall.
 * @param now the time in milliseconds
 */
export function createTimeSlice(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let since = now();
  return () => {
    if (now() - since < SLICE_MS) return undefined;
    return otherCallers().then(() => {
      since = now();
    });
  };
}
