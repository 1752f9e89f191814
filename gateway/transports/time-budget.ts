import { setMaxListeners } from 'node:events';
import type { ExecutionResult } from 'graphql';
import { engineUnavailable, failedResult } from '../../http/engine-errors.js';

export interface Budget {
  readonly engine: string;
  readonly timeoutMs: number;
  /** The client's: aborted when it is gone. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` for at most `timeoutMs` milliseconds. When the time is spent or the client is gone, the signal given to `work` is aborted
 * and the answer is an error with code UPSTREAM_UNAVAILABLE, whether `work` heeds its signal or not. Never throws.
 * @param failed what to say of an exception of `work`
 */
export function withinBudget<Data>(
  { engine, timeoutMs, signal }: Budget,
  work: (signal: AbortSignal) => Promise<ExecutionResult<Data>>,
  failed: (error: unknown) => ExecutionResult<Data>,
): Promise<ExecutionResult<Data>> {
  if (signal?.aborted) return Promise.resolve(failedResult(engineUnavailable(engine, 'was not asked: the call was given up')));
  const controller = new AbortController();
  return new Promise((resolve) => {
    const finish = (result: ExecutionResult<Data>) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const giveUp = (why: string) => {
      finish(failedResult(engineUnavailable(engine, why)));
      controller.abort();
    };
    const onAbort = () => giveUp('did not answer before the call was given up');
    const timer = setTimeout(() => giveUp(`did not answer in ${timeoutMs} ms`), timeoutMs);
    // one listener for each engine that the call asks
    if (signal) setMaxListeners(0, signal);
    signal?.addEventListener('abort', onAbort, { once: true });
    work(controller.signal).then(finish, (error: unknown) => finish(failed(error)));
  });
}
