import type { EngineContext } from '../../kit/engine/context.js';
import { countAssets, countAssetValues, countPlanned } from './counters.js';
import { assetChanges, inventoryRuns } from './changes/records.js';
import { assetRowId, assets, goneAssets, type AssetRow, type GoneAssetRow } from './records.js';

/** An asset, or one that is gone. */
export async function findAssetOrGone(context: EngineContext, resourceUid: string): Promise<AssetRow | GoneAssetRow | null> {
  const _id = assetRowId(context.auth.tenant_id, resourceUid);
  return (await findAsset(context, resourceUid)) ?? context.collection(goneAssets).findOne({ _id });
}

export function findAsset(context: EngineContext, resourceUid: string): Promise<AssetRow | null> {
  return context.collection(assets).findOne({ _id: assetRowId(context.auth.tenant_id, resourceUid) });
}

/** Assets, or those that are gone, in the order of their identifiers; null where there is none. */
export async function findAssets(context: EngineContext, resourceUids: readonly string[]): Promise<(AssetRow | null)[]> {
  const idOf = (uid: string): string => assetRowId(context.auth.tenant_id, uid);
  const rows = await context.collection(assets).find({ _id: { $in: resourceUids.map(idOf) } });
  const byUid = new Map(rows.map((row) => [row.resource_uid, row]));
  const missing = resourceUids.filter((uid) => !byUid.has(uid));
  const gone = missing.length === 0 ? [] : await context.collection(goneAssets).find({ _id: { $in: missing.map(idOf) } });
  for (const row of gone) byUid.set(row.resource_uid, row);
  return resourceUids.map((uid) => byUid.get(uid) ?? null);
}

/** What the run that described assets last has changed; null before the first. */
async function lastChange(context: EngineContext) {
  const run = await context.collection(inventoryRuns).findOne({}, { sort: { at: -1 } });
  if (!run) return null;
  const { scan_run_id, at } = run;
  const rows = context.collection(assetChanges);
  const [added, changed, gone, returned] = await Promise.all(
    (['added', 'changed', 'gone', 'returned'] as const).map((event) => rows.count({ scan_run_id, event })),
  );
  return { scan_run_id, at, added, changed, gone, returned };
}

export async function summarizeInventory(context: EngineContext) {
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const [all, planned, by, last_run] = await Promise.all([
    countAssets(tenant),
    countPlanned(tenant),
    countAssetValues(tenant, ['provider', 'resource_type', 'region', 'account_id']),
    lastChange(context),
  ]);
  return {
    last_run,
    total: (all?.count ?? 0) - planned,
    planned,
    by_provider: by.provider,
    by_type: by.resource_type,
    by_region: by.region,
    by_account: by.account_id,
  };
}
