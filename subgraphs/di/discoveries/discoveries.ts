import type { EngineContext } from '../../../kit/engine/context.js';
import { keptUnder } from '../../../kit/store/kept.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { countAssets } from '../counters.js';
import { assets, type AssetRow } from '../records.js';

export interface DiscoveryFilter {
  scan_run_id?: string[] | null;
  account_id?: string[] | null;
  resource_type?: string[] | null;
}

/** The last sighting of each asset, by resource_uid. */
export async function listDiscoveries(context: EngineContext, args: DiscoveryFilter & PageArguments) {
  const window = pageWindow(args);
  const condition: Record<string, unknown> = {};
  for (const name of ['scan_run_id', 'account_id', 'resource_type'] as const) if (args[name]) condition[name] = { $in: args[name] };
  const rows = context.collection(assets);
  const all = await countAssets(context.services.database.tenant(context.auth.tenant_id));
  const total = all === null ? 0 : await keptUnder([context.auth.tenant_id, 'assets', all.version, condition], () => rows.count(condition));
  const items =
    total <= window.skip ? [] : await rows.find(condition, { sort: { resource_uid: 1 }, skip: window.skip, limit: window.limit });
  return toPage(items.map(discoveryOf), total, window);
}

const discoveryOf = ({
  resource_uid,
  resource_type,
  provider,
  account_id,
  region,
  scan_run_id,
  last_seen_at,
  source,
  ...asset
}: AssetRow) => ({
  ...{ resource_uid, resource_type, provider, account_id, region, scan_run_id },
  seen_at: last_seen_at,
  found_by: source?.format ?? 'finding',
  call: source?.address ?? null,
  file: source?.file ?? null,
  line: source?.line ?? null,
  record: asset.configuration,
});

/** What the inventory covers: account by account, region and service, from the assets that were seen there. */
export async function coverageOf(context: EngineContext, { account_id }: { account_id?: string[] | null }) {
  const all = await countAssets(context.services.database.tenant(context.auth.tenant_id));
  if (all === null) return { items: [], cut: false };
  const condition = account_id ? { account_id: { $in: account_id } } : {};
  const groups = await keptUnder([context.auth.tenant_id, 'coverage', all.version, condition], () => placesOf(context, condition));
  const cells = new Map<string, (typeof groups)[number] & { service: string }>();
  for (const group of groups) {
    const service = serviceOf(group.resource_type);
    const key = JSON.stringify([group.provider, group.account_id, group.region, service]);
    const known = cells.get(key);
    const later = !known || group.last_seen_at > known.last_seen_at ? group : known;
    cells.set(key, { ...later, service, assets: group.assets + (known?.assets ?? 0) });
  }
  const items = [...cells]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, cell]) => ({ ...cell, state: 'scanned' as const, missing_permission: null }));
  return { items: items.slice(0, MOST_CELLS), cut: items.length > MOST_CELLS };
}

const MOST_CELLS = 5_000;

/** The service of a resource type in Terraform's words: `aws_s3_bucket` is of `s3`. */
const serviceOf = (resourceType: string): string => resourceType.split('_')[1] ?? resourceType;

interface Place {
  provider: string;
  account_id: string | null;
  region: string;
  resource_type: string;
  assets: number;
  last_seen_at: Date;
}

async function placesOf(context: EngineContext, condition: object): Promise<Place[]> {
  const place = { provider: '$provider', account_id: '$account_id', region: '$region', resource_type: '$resource_type' };
  const groups = await context
    .collection(assets)
    .aggregate<{ _id: Pick<Place, keyof typeof place> } & Omit<Place, keyof typeof place>>([
      { $match: condition },
      { $group: { _id: place, assets: { $sum: 1 }, last_seen_at: { $max: '$last_seen_at' } } },
    ]);
  return groups.map(({ _id, ...group }) => ({ ..._id, ...group }));
}
