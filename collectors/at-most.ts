/** What a piece of work gives: something to hand on, or more work. */
export type Step<T> = { readonly item: T } | { readonly more: Work<T> };
export type Work<T> = () => AsyncGenerator<Step<T>>;

/**
 * Does work at most `most` at a time, and what that brings up, and hands on what it gives as it comes.
 * @param stop ends what runs: called when nobody waits for it any more
 * @throws what any work throws, after the rest has ended
 */
export async function* atMost<T>(most: number, first: readonly Work<T>[], stop: () => void): AsyncGenerator<T> {
  const waiting = [...first].reverse();
  const running = new Map<AsyncGenerator<Step<T>>, Promise<{ work: AsyncGenerator<Step<T>>; step: IteratorResult<Step<T>> }>>();
  const advance = (work: AsyncGenerator<Step<T>>): void =>
    void running.set(
      work,
      work.next().then((step) => ({ work, step })),
    );
  try {
    for (;;) {
      // the latest first: what a thing brings up is done before the next page is asked for, so that little waits
      while (running.size < most && waiting.length > 0) advance(waiting.pop()!());
      if (running.size === 0) return;
      const { work, step } = await Promise.race(running.values());
      running.delete(work);
      if (step.done) continue;
      if ('more' in step.value) waiting.push(step.value.more);
      else yield step.value.item;
      advance(work);
    }
  } finally {
    if (running.size > 0) stop();
    await Promise.allSettled([...running.values()]);
    await Promise.allSettled([...running.keys()].map((work) => work.return(undefined)));
  }
}
