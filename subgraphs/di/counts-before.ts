import type { RunStart } from '../../kit/engine/ingest-input.js';
import { defineCollection } from '../../kit/store/collection.js';
import type { TenantDatabase } from '../../kit/store/database.js';
import { date, list, object, text } from '../../kit/store/fields.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { countsOf, type AssetValueCount } from './counters.js';

/** How many assets there were before the run that described assets last; `_id` is the tenant's. */
export const countsBefore = defineCollection(
  'asset_counts_before',
  { scan_run_id: text, at: date, counts: list(object<AssetValueCount>()) },
  [],
);

/**
 * Keeps how many assets there are, before a run that describes some changes that; in the run's first transaction, and in no later one. A run that began
 * before the last one keeps nothing.
 */
export async function keepCountsBefore(tenant: TenantDatabase, run: RunStart, transaction: TransactionOf): Promise<void> {
  const rows = tenant.collection(countsBefore);
  const _id = tenant.tenantId;
  const kept = await rows.findOne({ _id }, { fields: ['scan_run_id', 'at'], transaction });
  if (kept && (kept.scan_run_id === run.scan_run_id || kept.at > run.at)) return;
  const { scan_run_id, at } = run;
  await rows.bulkUpdate([{ _id, update: { $set: { scan_run_id, at, counts: await countsOf(tenant, transaction) } }, upsert: true }], {
    transaction,
  });
}

/** How many assets there were before a run; null where that is not known, as it is not the last one. */
export async function findCountsBefore(tenant: TenantDatabase, scanRunId: string): Promise<readonly AssetValueCount[] | null> {
  const kept = await tenant.collection(countsBefore).findOne({ _id: tenant.tenantId });
  return kept?.scan_run_id === scanRunId ? kept.counts : null;
}
