import type { Provider } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { badRequest } from '../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { containsText } from '../../kit/store/text-filter.js';
import { assetRowId, assets, edges, type AssetRow, type EdgeRow } from './records.js';

export interface AssetFilter extends PageArguments {
  provider?: Provider[] | null;
  account_id?: string[] | null;
  region?: string[] | null;
  resource_type?: string[] | null;
  scan_run_id?: string[] | null;
  q?: string | null;
}

const MAX_DEPTH = 4;
const MAX_EDGES = 500;

export async function listAssets(context: EngineContext, args: AssetFilter) {
  const window = pageWindow(args);
  const condition: Record<string, unknown> = {};
  for (const field of ['provider', 'account_id', 'region', 'resource_type', 'scan_run_id'] as const)
    if (args[field]) condition[field] = { $in: args[field] };
  if (args.q) Object.assign(condition, containsText(['resource_uid', 'resource_name'], args.q));
  const rows = context.collection(assets);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { resource_uid: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}

export function findAsset(context: EngineContext, resourceUid: string): Promise<AssetRow | null> {
  return context.collection(assets).findOne({ _id: assetRowId(context.auth.tenant_id, resourceUid) });
}

export async function findAssets(context: EngineContext, resourceUids: readonly string[]): Promise<(AssetRow | null)[]> {
  const rows = await context.collection(assets).find({ _id: { $in: resourceUids.map((uid) => assetRowId(context.auth.tenant_id, uid)) } });
  const byUid = new Map(rows.map((row) => [row.resource_uid, row]));
  return resourceUids.map((uid) => byUid.get(uid) ?? null);
}

async function counts(context: EngineContext, field: 'provider' | 'resource_type' | 'region' | 'account_id') {
  const groups = await context
    .collection(assets)
    .aggregate<{ _id: string | null; count: number }>([
      { $group: { _id: `$${field}`, count: { $sum: 1 } } },
      { $sort: { count: -1, _id: 1 } },
    ]);
  return groups.map(({ _id, count }) => ({ value: _id, count }));
}

export async function summarizeInventory(context: EngineContext) {
  const [total, by_provider, by_type, by_region, by_account] = await Promise.all([
    context.collection(assets).count({}),
    counts(context, 'provider'),
    counts(context, 'resource_type'),
    counts(context, 'region'),
    counts(context, 'account_id'),
  ]);
  return { total, by_provider, by_type, by_region, by_account };
}

/** The edges in and out of a resource, hop by hop; null when the tenant has no such asset. */
export async function neighbourhood(context: EngineContext, resourceUid: string, depth: number) {
  if (depth < 1 || depth > MAX_DEPTH) throw badRequest(`depth must be from 1 to ${MAX_DEPTH}`);
  if (!(await findAsset(context, resourceUid))) return null;
  const rows = context.collection(edges);
  const seen = new Map<string, EdgeRow>();
  const visited = new Set([resourceUid]);
  let frontier = [resourceUid];
  for (let hop = 0; hop < depth && frontier.length && seen.size <= MAX_EDGES; hop++) {
    const limit = MAX_EDGES + 1 - seen.size;
    const found = (
      await Promise.all([
        rows.find({ from: { $in: frontier } }, { limit, sort: { _id: 1 } }),
        rows.find({ to: { $in: frontier } }, { limit, sort: { _id: 1 } }),
      ])
    ).flat();
    for (const edge of found) seen.set(edge._id, edge);
    frontier = [...new Set(found.flatMap(({ from, to }) => [from, to]))].filter((uid) => !visited.has(uid));
    for (const uid of frontier) visited.add(uid);
  }
  const all = [...seen.values()];
  return { resource_uid: resourceUid, depth, edges: all.slice(0, MAX_EDGES), cut: all.length > MAX_EDGES };
}
