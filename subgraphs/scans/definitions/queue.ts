import type { EngineContext } from '../../../kit/engine/context.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { FINAL_STATES, IMPORT_REPORT, NOT_FINAL, scanRuns, type ScanRunRow } from '../records.js';

/** Lets the next run of a scan begin when one has ended, in the transaction that ends it. */
export async function beginNext(context: EngineContext, ended: ScanRunRow, transaction: TransactionOf): Promise<void> {
  if (ended.scan_id === undefined || !FINAL_STATES.includes(ended.state)) return;
  const rows = context.collection(scanRuns);
  const next = await rows.findOne({ scan_id: ended.scan_id, ...NOT_FINAL }, { sort: { created_at: 1 }, transaction });
  if (!next?.queued_behind || !next.owner) return;
  await rows.update({ _id: next._id }, { $set: { queued_behind: null } }, { transaction });
  const { jobs } = context.services;
  await jobs.add(transaction, next.owner, IMPORT_REPORT, { scan_run_id: next.scan_run_id });
  jobs.wakeup.wakeAfter(transaction);
}
