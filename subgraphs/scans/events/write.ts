import type { EngineContext } from '../../../kit/engine/context.js';
import type { Filter, TransactionOf } from '../../../kit/store/query.js';
import { beginNext } from '../definitions/queue.js';
import { scanRuns, type ScanRunRow } from '../records.js';
import { eventOf, scanRunEvents } from './records.js';

/** What changes in a run. Members of `counts` may be named by their path. */
export type RunChange = Partial<ScanRunRow> & Readonly<Record<`counts.${string}`, number>>;

/**
 * Changes a run and writes the event of it, in one transaction.
 * @param filter of the row as it must still be
 * @returns the run as it is then; null when there is none such, and nothing is written
 */
export async function changeRunRow(
  context: EngineContext,
  filter: Filter,
  change: RunChange,
  transaction: TransactionOf,
): Promise<ScanRunRow | null> {
  const run = await context
    .collection(scanRuns)
    .findAndUpdate(filter, { $set: change, $inc: { events: 1 } }, { transaction, returnNew: true });
  if (run) await writeRunEvent(context, run, change.state === undefined ? 'progress' : 'state', transaction);
  if (run && change.state !== undefined) await beginNext(context, run, transaction);
  return run;
}

/** Writes what a run is now as its event of the position that the row has counted. */
export const writeRunEvent = (context: EngineContext, run: ScanRunRow, type: 'state' | 'progress', transaction: TransactionOf) =>
  context.collection(scanRunEvents).insert(eventOf(run, type, run.events!, context.services.clock.now()), { transaction });
