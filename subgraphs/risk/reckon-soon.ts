import type { EngineContext } from '../../kit/engine/context.js';
import type { TransactionOf } from '../../kit/store/query.js';

/** The job that reckons risk anew. */
export const RECKON = 'risk.reckon';

/**
 * Has a worker reckon risk anew, in the transaction of what people have changed; wake the workers after the commit. A support access has no jobs:
 * the next run reckons, too.
 */
export async function reckonSoon({ auth, services }: EngineContext, transaction: TransactionOf): Promise<void> {
  if (!auth.support) await services.jobs.add(transaction, auth, RECKON, {});
}
