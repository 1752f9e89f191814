import { GLOBAL_REGION, type EdgeKind } from '../../../schema/model.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { Filter } from '../../../kit/store/query.js';
import { accessNodes, type AccessNodeRow } from '../access/records.js';
import { assetRowId, assets, edges, type AssetRow, type EdgeRow } from '../records.js';
import { assetCondition, type AssetFilter } from '../list/filter.js';
import { findAsset } from '../service.js';

const MAX_DEPTH = 4;
const MAX_EDGES = 500;
const MAX_NODES = 500;
/** Resources that a filter may name. */
const MAX_SEEDS = 100;

export type Direction = 'out' | 'in' | 'both';
type Edge = Pick<EdgeRow, 'from' | 'to' | 'kind'> & { via: string | null; access: EdgeRow['access'] | null };

const keyOf = ({ from, to, kind, access }: EdgeRow): string => JSON.stringify([from, to, kind, access?.privilege]);
const endsKey = ({ from, to }: Pick<EdgeRow, 'from' | 'to'>): string => JSON.stringify([from, to]);

/** Edges as they are shown, each once, and a bare reference only where nothing better is known of the two resources. */
function shown(rows: readonly EdgeRow[]): Edge[] {
  const meant = new Set(
    rows.filter(({ kind }) => kind !== 'refers_to').flatMap(({ from, to }) => [endsKey({ from, to }), endsKey({ from: to, to: from })]),
  );
  const once = new Map<string, Edge>();
  for (const row of rows) {
    const { from, to, kind, via = null, access = null } = row;
    if (kind !== 'refers_to' || !meant.has(endsKey({ from, to }))) once.set(keyOf(row), { from, to, kind, via, access });
  }
  return [...once.values()];
}

function assertDepth(depth: number, least: number): void {
  if (depth < least || depth > MAX_DEPTH) throw badRequest(`depth must be from ${least} to ${MAX_DEPTH}`);
}

/** Edges at some resources: at most `limit` of each direction, always the same. */
async function edgesAt(
  context: EngineContext,
  uids: readonly string[],
  directions: readonly ('from' | 'to')[],
  kinds: readonly EdgeKind[] | null | undefined,
  limit: number,
): Promise<EdgeRow[]> {
  const only: Filter = kinds ? { kind: { $in: kinds } } : {};
  const rows = context.collection(edges);
  const found = await Promise.all(directions.map((end) => rows.find({ [end]: { $in: uids }, ...only }, { limit, sort: { _id: 1 } })));
  return found.flat();
}

const ENDS: Readonly<Record<Direction, readonly ('from' | 'to')[]>> = { out: ['from'], in: ['to'], both: ['from', 'to'] };

/** The edges in and out of a resource, hop by hop; null when the tenant has no such asset. */
export async function neighbourhood(
  context: EngineContext,
  { resource_uid, depth, kind, direction }: { resource_uid: string; depth: number; kind?: EdgeKind[] | null; direction?: Direction | null },
) {
  assertDepth(depth, 1);
  if (!(await findAsset(context, resource_uid))) return null;
  const seen = new Map<string, EdgeRow>();
  const visited = new Set([resource_uid]);
  let frontier = [resource_uid];
  for (let hop = 0; hop < depth && frontier.length > 0 && seen.size <= MAX_EDGES; hop++) {
    const found = await edgesAt(context, frontier, ENDS[direction ?? 'both'], kind, MAX_EDGES + 1);
    for (const edge of found) seen.set(edge._id, edge);
    frontier = [...new Set(found.flatMap(({ from, to }) => [from, to]))].filter((uid) => !visited.has(uid));
    for (const uid of frontier) visited.add(uid);
  }
  const all = shown([...seen.values()]);
  return { resource_uid, depth, edges: all.slice(0, MAX_EDGES), cut: seen.size > MAX_EDGES };
}

export interface GraphArguments extends AssetFilter {
  resource_uid?: string[] | null;
  kind?: EdgeKind[] | null;
  depth: number;
  limit: number;
}

const NODE_FIELDS = ['resource_uid', 'resource_type', 'resource_name', 'provider', 'account_id', 'region'] as const;
type Node = Pick<AssetRow, (typeof NODE_FIELDS)[number]> & { scope?: AccessNodeRow['scope'] };

/** The assets that a graph begins at, and whether more were asked for than it begins at. */
async function seedsOf(
  context: EngineContext,
  { resource_uid, limit, ...filter }: GraphArguments,
): Promise<{ seeds: Node[]; more: boolean }> {
  const most = Math.min(limit, MAX_SEEDS);
  const ids = resource_uid?.map((uid) => assetRowId(context.auth.tenant_id, uid));
  const condition = { ...assetCondition(filter, null), ...(ids && { _id: { $in: ids } }) };
  const seeds: Node[] = await context
    .collection(assets)
    .find(condition, { sort: { resource_uid: 1 }, limit: most + 1, fields: NODE_FIELDS });
  return { seeds: seeds.slice(0, most), more: seeds.length > most };
}

/**
 * A bounded part of the asset graph: what lies within some hops of the assets that a filter selects.
 * @throws PalisadeError BAD_REQUEST for a depth or a limit that is none
 */
export async function inventoryGraph(context: EngineContext, args: GraphArguments) {
  const { depth, limit, kind } = args;
  assertDepth(depth, 0);
  if (limit < 1 || limit > MAX_NODES) throw badRequest(`limit must be from 1 to ${MAX_NODES}`);
  if (args.resource_uid && args.resource_uid.length > MAX_SEEDS) throw badRequest(`resource_uid must name at most ${MAX_SEEDS} assets`);
  const { seeds, more } = await seedsOf(context, args);
  const hops = new Map(seeds.map(({ resource_uid }) => [resource_uid, 0]));
  const seen = new Map<string, EdgeRow>();
  let cut_at = more ? 'seeds' : null;
  let frontier = [...hops.keys()];
  for (let hop = 1; hop <= depth + 1 && frontier.length > 0; hop++) {
    const found = await edgesAt(context, frontier, ENDS.both, kind, MAX_EDGES + 1);
    const next = new Set<string>();
    for (const edge of found) {
      const others = [edge.from, edge.to].filter((uid) => !hops.has(uid) && !next.has(uid));
      // the last look finds the edges among what is there
      if (others.length > 0 && (hop > depth || hops.size + next.size + others.length > limit)) {
        if (hop <= depth) cut_at ??= 'nodes';
        continue;
      }
      if (seen.size >= MAX_EDGES && !seen.has(edge._id)) {
        cut_at ??= 'edges';
        break;
      }
      seen.set(edge._id, edge);
      for (const uid of others) next.add(uid);
    }
    if (found.length > MAX_EDGES) cut_at ??= 'edges';
    for (const uid of next) hops.set(uid, hop);
    frontier = [...next];
  }
  const known = await nodesOf(context, seeds, [...hops.keys()]);
  const nodes = [...hops].map(([uid, hop]) => ({ ...UNKNOWN, resource_uid: uid, ...known.get(uid), hops: hop }));
  return { nodes, edges: shown([...seen.values()]), cut: cut_at !== null, cut_at, node_limit: limit, edge_limit: MAX_EDGES };
}

const UNKNOWN = { resource_type: null, resource_name: null, provider: null, account_id: null, region: null, scope: null };

/** What is known of the resources of a graph, and of what edges of access lead to beside resources. */
async function nodesOf(context: EngineContext, seeds: readonly Node[], uids: readonly string[]): Promise<Map<string, Node>> {
  const known = new Map(seeds.map((node) => [node.resource_uid, node]));
  const idsOfOthers = () => uids.filter((uid) => !known.has(uid)).map((uid) => assetRowId(context.auth.tenant_id, uid));
  const found: Node[] = await context.collection(assets).find({ _id: { $in: idsOfOthers() } }, { fields: NODE_FIELDS });
  for (const node of found) known.set(node.resource_uid, node);
  const others = await context.collection(accessNodes).find({ _id: { $in: idsOfOthers() } });
  for (const { uid, type, name, provider, account_id, scope } of others)
    known.set(uid, { resource_uid: uid, resource_type: type, resource_name: name, provider, account_id, region: GLOBAL_REGION, scope });
  return known;
}
