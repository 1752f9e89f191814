import type { EngineContext } from '../../../kit/engine/context.js';
import { readPageOf } from '../../../kit/store/far-page.js';
import { keptUnder } from '../../../kit/store/kept.js';
import { pageWindow, toPage, type PageArguments, type PageWindow } from '../../../kit/store/paging.js';
import { countAssets } from '../counters.js';
import { assets, goneAssets, type AssetRow, type GoneAssetRow } from '../records.js';

const FILTERS = ['scan_run_id', 'discovered_in', 'account_id', 'resource_type', 'provider', 'region'] as const;
export type DiscoveryFilter = { [filter in (typeof FILTERS)[number]]?: string[] | null } & {
  planned?: boolean | null;
  gone?: boolean | null;
};

/** The last sighting of each asset that is there, or of each that is gone, by resource_uid. */
export async function listDiscoveries(context: EngineContext, args: DiscoveryFilter & PageArguments) {
  const window = pageWindow(args);
  const condition: Record<string, unknown> = {};
  for (const name of FILTERS) if (args[name]) condition[name] = { $in: args[name] };
  if (args.planned != null) condition['planned'] = args.planned ? true : null;
  if (args.gone) return listGone(context, condition, window);
  const rows = context.collection(assets);
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const all = await countAssets(tenant);
  if (all === null) return toPage([], 0, window);
  const key = [tenant.tenantId, 'discoveries', condition];
  const total = await keptUnder([...key, all.version], () => rows.count(condition));
  if (total <= window.skip) return toPage([], total, window);
  const found = await readPageOf(
    {
      ...{ rows, condition, key, sort: { resource_uid: 1 } },
      version: async () => (await countAssets(tenant))?.version,
      total: () => Promise.resolve(total),
    },
    window,
  );
  return toPage(found.map(discoveryOf), total, window);
}

/** Nothing keeps count of those that are gone. */
async function listGone(context: EngineContext, condition: Record<string, unknown>, window: PageWindow) {
  const rows = context.collection(goneAssets);
  const { skip, limit } = window;
  const [found, total] = await Promise.all([rows.find(condition, { sort: { resource_uid: 1 }, skip, limit }), rows.count(condition)]);
  return toPage(found.map(discoveryOf), total, window);
}

const discoveryOf = ({
  resource_uid,
  resource_type,
  provider,
  account_id,
  region,
  scan_run_id,
  first_seen_at,
  last_seen_at,
  source,
  ...asset
}: AssetRow | GoneAssetRow) => ({
  ...{ resource_uid, resource_type, provider, account_id, region, scan_run_id },
  discovered_in: asset.discovered_in ?? null,
  first_seen_at,
  seen_at: last_seen_at,
  gone_at: 'gone_at' in asset ? asset.gone_at : null,
  found_by: source?.format ?? 'finding',
  call: source?.address ?? null,
  file: source?.file ?? null,
  line: source?.line ?? null,
  record: asset.configuration,
});
