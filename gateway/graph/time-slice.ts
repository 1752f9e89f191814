/** Milliseconds for which work goes on in one piece on the thread that answers requests (decision 53). */
const SLICE = 10;

/** When the present piece of work began, by the clock of `performance`; 0 while none has begun in this turn of the event loop. */
let began = 0;
/** Work that waits for a turn of its own, first come, first served: one a turn, so that two long joins do not add up in one. */
const waiting: (() => void)[] = [];

function nextTurn(): void {
  began = 0;
  waiting.shift()?.();
  if (waiting.length) setImmediate(nextTurn);
}

/** Whether the work of this turn of the event loop has taken its time: it goes on after `otherCallers()`. */
export function sliceIsOver(): boolean {
  if (began === 0) {
    began = performance.now();
    setImmediate(() => (began = 0));
    return false;
  }
  return performance.now() - began > SLICE;
}

/** Resolves in a later turn of the event loop, after whatever else is ready to run. */
export function otherCallers(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(nextTurn);
  });
}
