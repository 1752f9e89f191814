import { createTimeSlice } from '../../../kit/base/time-slice.js';
import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import type { AssetProjection } from '../../../kit/engine/projection.js';
import type { RunStart, SeenAsset } from '../../../kit/engine/ingest-input.js';
import { repeatOnDuplicate, type TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { noteEvents } from '../changes/note.js';
import { AssetCounterChanges } from '../counters.js';
import { removeLinks } from '../links/remove.js';
import { assetRowId, assets, goneAssets, type AssetRow } from '../records.js';
import { observedAt } from './outranked.js';

/** Assets of one transaction. */
const BATCH = 200;

/** Takes assets out of all that lists and counts them: they are no more. Their rows are removed by the caller. */
export async function withdraw(
  projections: readonly AssetProjection[],
  tenant: TenantDatabase,
  going: readonly AssetRow[],
  transaction: TransactionOf,
): Promise<void> {
  const counters = new AssetCounterChanges(tenant);
  for (const asset of going) counters.move(asset, null);
  await counters.write(transaction);
  await removeLinks(tenant, going, transaction);
  const ids = going.map(({ _id }) => _id);
  for (const projection of projections) await projection.remove(tenant, ids, transaction);
}

/** Marks as gone what a completed run, which has told all of an estate, did not show of it. Idempotent; killed, it goes on where it was. */
export const markGone: IngestSinks['unseen'] = async (context, run, estate) => {
  const { services, auth, signal } = context;
  const tenant = services.database.tenant(auth.tenant_id);
  const pause = createTimeSlice();
  // what a later one has observed is there
  const unseen = { estate, scan_run_id: { $ne: run.scan_run_id }, observed_at: { $lt: observedAt(run) } };
  for (let left = BATCH; left === BATCH;) {
    signal.throwIfAborted();
    left = await context.transaction((transaction) => goneBatch(context, tenant, run, unseen, transaction));
    await pause();
  }
};

async function goneBatch(
  { services }: EngineContext,
  tenant: TenantDatabase,
  run: RunStart,
  unseen: object,
  transaction: TransactionOf,
): Promise<number> {
  const rows = tenant.collection(assets);
  const going: AssetRow[] = await rows.find({ ...unseen }, { limit: BATCH, transaction });
  if (going.length === 0) return 0;
  await withdraw(services.ingest.projections, tenant, going, transaction);
  await noteEvents(tenant, run, 'gone', going, transaction);
  await rows.remove({ _id: { $in: going.map(({ _id }) => _id) } }, { transaction });
  const gone = going.map(({ links_due: _, ...asset }) => ({ ...asset, gone_at: run.at, gone_in: run.scan_run_id }));
  await tenant.collection(goneAssets).insertMany(gone, { transaction }).catch(repeatOnDuplicate);
  return going.length;
}

/** Brings back the assets of a batch that were gone, as they were, before the batch is written over them. */
export async function bringBack(
  tenant: TenantDatabase,
  run: RunStart,
  seen: readonly SeenAsset[],
  transaction: TransactionOf,
): Promise<void> {
  const ids = [...new Set(seen.map(({ resource_uid }) => assetRowId(tenant.tenantId, resource_uid)))];
  const gone = await tenant.collection(goneAssets).find({ _id: { $in: ids } }, { transaction });
  if (gone.length === 0) return;
  const back = gone.map(({ gone_at: _at, gone_in: _in, ...asset }) => ({ ...asset, links_due: 'all' as const }));
  const counters = new AssetCounterChanges(tenant);
  for (const asset of back) counters.move(null, asset);
  await counters.write(transaction);
  await noteEvents(tenant, run, 'returned', back, transaction);
  await tenant.collection(assets).insertMany(back, { transaction }).catch(repeatOnDuplicate);
  await tenant.collection(goneAssets).remove({ _id: { $in: gone.map(({ _id }) => _id) } }, { transaction });
}
