import type { Provider } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { keptUnder } from '../../kit/store/kept.js';
import { pageWindow, toPage, type PageArguments, type PageWindow } from '../../kit/store/paging.js';
import { containsText } from '../../kit/store/text-filter.js';
import type { Criticality, Environment } from './business/context.js';
import { tagKey } from './business/tag-keys.js';
import { countAssets, countAssetsBy, countAssetValues, COUNTED_COLUMNS, type CountedColumn } from './counters.js';
import { assetChanges, inventoryRuns } from './changes/records.js';
import { assetRowId, assets, goneAssets, type AssetRow, type GoneAssetRow } from './records.js';

export interface AssetFilter extends PageArguments {
  provider?: Provider[] | null;
  account_id?: string[] | null;
  region?: string[] | null;
  resource_type?: string[] | null;
  scan_run_id?: string[] | null;
  owner?: string[] | null;
  environment?: Environment[] | null;
  criticality?: Criticality[] | null;
  tag?: string[] | null;
  q?: string | null;
  gone?: boolean | null;
}

const BUSINESS_COLUMNS = ['owner', 'environment', 'criticality'] as const;

/** The database's condition for a filter, and which of its columns counters know. */
export function assetCondition(args: AssetFilter): { condition: Record<string, unknown>; asked: CountedColumn[] } {
  const asked = COUNTED_COLUMNS.filter((field) => args[field]);
  const condition: Record<string, unknown> = {};
  const anyOf = (values: readonly string[]) => (values.length === 1 ? values[0] : { $in: values });
  for (const field of asked) condition[field] = anyOf(args[field]!);
  for (const field of BUSINESS_COLUMNS) if (args[field]) condition[field] = anyOf(args[field]);
  if (args.tag) condition['tag_keys'] = anyOf(args.tag.map(tagKey));
  if (args.q) Object.assign(condition, containsText(['resource_uid', 'resource_name'], args.q));
  return { condition, asked };
}

export async function listAssets(context: EngineContext, args: AssetFilter) {
  const window = pageWindow(args);
  const { condition, asked } = assetCondition(args);
  if (args.gone) return listGone(context, condition, window);
  const total = await countListed(context, args, asked, condition);
  if (total <= window.skip) return toPage([], total, window);
  const items = await context.collection(assets).find(condition, { sort: { resource_uid: 1 }, skip: window.skip, limit: window.limit });
  return toPage(items, total, window);
}

async function listGone(context: EngineContext, condition: Record<string, unknown>, window: PageWindow) {
  const rows = context.collection(goneAssets);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { resource_uid: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}

/** The exact number of assets of a list: from the counters where they know, else counted once until an asset changes. */
async function countListed(
  context: EngineContext,
  args: AssetFilter,
  asked: readonly CountedColumn[],
  condition: Record<string, unknown>,
): Promise<number> {
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const [column, ...others] = asked;
  const isCounted = Object.keys(condition).length === asked.length;
  if (column && others.length === 0 && isCounted) return countAssetsBy(tenant, column, args[column]!);
  const all = await countAssets(tenant);
  if (!all) return 0;
  if (!column && isCounted) return all.count;
  return keptUnder([tenant.tenantId, 'assets', all.version, condition], () => context.collection(assets).count(condition));
}

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
  const [all, by, last_run] = await Promise.all([
    countAssets(tenant),
    countAssetValues(tenant, ['provider', 'resource_type', 'region', 'account_id']),
    lastChange(context),
  ]);
  return {
    last_run,
    total: all?.count ?? 0,
    by_provider: by.provider,
    by_type: by.resource_type,
    by_region: by.region,
    by_account: by.account_id,
  };
}
