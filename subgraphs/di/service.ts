import type { EngineContext } from '../../kit/engine/context.js';
import { assetCounters, countAssets, countsOf, type AssetValueCount, type CountedColumn } from './counters.js';
import { findCountsBefore } from './counts-before.js';
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

/** How many assets the tenant has, and in how many accounts: both are counted already. */
export async function inventoryUsage({ services, auth }: EngineContext): Promise<{ assets: number; accounts: number }> {
  const tenant = services.database.tenant(auth.tenant_id);
  const [all, accounts] = await Promise.all([
    countAssets(tenant),
    tenant.collection(assetCounters).count({ by: 'account_id', value: { $ne: null }, count: { $gt: 0 } }),
  ]);
  return { assets: all?.count ?? 0, accounts };
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

/** The values of a column with their assets, most first, then by value; those that no asset has any more are last. */
function valuesOf(column: CountedColumn, now: readonly AssetValueCount[], before: readonly AssetValueCount[] | null) {
  const counts = new Map(now.filter(({ by }) => by === column).map(({ value, count }) => [value, count]));
  const earlier = new Map(before?.filter(({ by }) => by === column).map(({ value, count }) => [value, count]));
  return [...new Set([...counts.keys(), ...earlier.keys()])]
    .map((value) => ({ value, count: counts.get(value) ?? 0, change: before && (counts.get(value) ?? 0) - (earlier.get(value) ?? 0) }))
    .sort((one, other) => other.count - one.count || ((one.value ?? '') < (other.value ?? '') ? -1 : 1));
}

const sumOf = (counts: readonly AssetValueCount[], column: AssetValueCount['by']): number =>
  counts.find(({ by }) => by === column)?.count ?? 0;

export async function summarizeInventory(context: EngineContext) {
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const [now, last_run] = await Promise.all([countsOf(tenant), lastChange(context)]);
  const before = last_run && (await findCountsBefore(tenant, last_run.scan_run_id));
  return {
    last_run,
    total: sumOf(now, 'all'),
    change: before && sumOf(now, 'all') - sumOf(before, 'all'),
    planned: sumOf(now, 'planned'),
    by_provider: valuesOf('provider', now, before),
    by_type: valuesOf('resource_type', now, before),
    by_region: valuesOf('region', now, before),
    by_account: valuesOf('account_id', now, before),
  };
}
