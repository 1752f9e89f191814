import { AsyncLocalStorage } from 'node:async_hooks';
import type { TransactionOf } from './query.js';

/** What stands before the transactions of a piece of work that may be taken away from who does it. */
export interface Fence {
  /**
   * Does `work` when it may begin, and hands it what each try of its transaction does first.
   * @throws what `work` throws
   */
  pass<R>(work: (first: (transaction: TransactionOf) => Promise<void>) => Promise<R>): Promise<R>;
}

const fences = new AsyncLocalStorage<Fence>();

/** Does work whose transactions all pass `fence`, wherever they are begun: no call within it can forget that. */
export const withinFence = <R>(fence: Fence, work: () => Promise<R>): Promise<R> => fences.run(fence, work);

/** The fence that the caller works within; undefined where there is none. */
export const fenceHere = (): Fence | undefined => fences.getStore();
