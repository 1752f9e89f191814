/**
 * Works on several things at once and gives the results in the order of the things; what is begun ends with the caller.
 * @param width how many at once
 * @throws what the work throws, first in the order; the rest is aborted
 */
export async function* inTurns<Thing, Result>(
  things: readonly Thing[],
  width: number,
  signal: AbortSignal,
  work: (thing: Thing, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const begun: Promise<Result>[] = [];
  let next = 0;
  const begin = (): void => {
    const made = work(things[next++]!, either);
    // it is awaited in its turn, or not at all when an earlier one has failed
    made.catch(() => undefined);
    begun.push(made);
  };
  try {
    while (next < things.length && begun.length < width) begin();
    while (begun.length > 0) {
      const result = await begun.shift()!;
      if (next < things.length) begin();
      yield result;
    }
  } finally {
    over.abort();
  }
}
