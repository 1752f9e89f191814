import { INTERNET, isAdministrator } from '../../../catalog/access/edges/types.js';
import { badRequest } from '../../../kit/base/errors.js';
import { holds } from '../../../kit/base/auth-context.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { readCrownJewels } from '../../../kit/read/crown-jewels.js';
import type { EdgeKind } from '../../../schema/model.js';
import { accessNodes } from '../access/records.js';
import { assetRowId, assets, edges } from '../records.js';
import { findAsset } from '../service.js';

const MAX_DEPTH = 6;
const MAX_NODES = 2_000;
/** Edges that are read of one hop. */
const MAX_EDGES = 4_000;

/** Edges that are followed from who holds their start. */
const FORWARD: readonly EdgeKind[] = ['runs_as', 'may_assume', 'may_access', 'escalates_to', 'reaches', 'reads_secret', 'credential_for'];
/** Edges from what becomes, or is handed to, what runs: only who may change their start gets on by them. */
const MADE: readonly EdgeKind[] = ['triggers', 'deploys'];
/** Edges whose end makes what their start is: as those. */
const BACKWARD: readonly EdgeKind[] = ['built_from', 'uses_image'];

interface Reached {
  readonly from: string;
  readonly kind: EdgeKind;
  readonly hops: number;
}

/**
 * What somebody who holds an asset can get to; null when the tenant has no such asset. Three reads a hop, whatever the size of the inventory.
 * @throws PalisadeError BAD_REQUEST for a depth that is none
 */
export async function blastRadius(context: EngineContext, { resource_uid, depth }: { resource_uid: string; depth: number }) {
  if (depth < 1 || depth > MAX_DEPTH) throw badRequest(`depth must be from 1 to ${MAX_DEPTH}`);
  if (!(await findAsset(context, resource_uid))) return null;
  const reached = new Map<string, Reached>();
  let cut = false;
  const changed = new Set([resource_uid]);
  let frontier = { all: [resource_uid], changed: [resource_uid] };
  for (let hops = 1; hops <= depth && frontier.all.length + frontier.changed.length > 0 && !cut; hops++) {
    const found = await hop(context, frontier);
    cut ||= found.cut;
    const next: typeof frontier = { all: [], changed: [] };
    for (const { from, to, kind, canChange } of found.edges) {
      if (to === resource_uid || to === INTERNET) continue;
      if (!reached.has(to)) {
        if (reached.size >= MAX_NODES) {
          cut = true;
          break;
        }
        reached.set(to, { from, kind, hops });
        // who has every right gets to everything there: that is said, and not followed
        if (!isAdministrator(to)) next.all.push(to);
      }
      if (!canChange || changed.has(to)) continue;
      changed.add(to);
      next.changed.push(to);
    }
    frontier = next;
  }
  return { resource_uid, depth, cut, ...(await described(context, reached)) };
}

/** The edges by which one gets on from some resources, and from those of which one may change what they are, the same for the same inventory. */
async function hop(
  context: EngineContext,
  { all, changed }: { all: readonly string[]; changed: readonly string[] },
): Promise<{ edges: { from: string; to: string; kind: EdgeKind; canChange: boolean }[]; cut: boolean }> {
  const rows = context.collection(edges);
  const read = (end: 'from' | 'to', uids: readonly string[], kinds: readonly EdgeKind[]) =>
    uids.length === 0
      ? []
      : rows.find(
          { [end]: { $in: uids }, kind: { $in: kinds } },
          { sort: { [end]: 1, kind: 1 }, limit: MAX_EDGES + 1, fields: ['from', 'to', 'kind', 'access'] },
        );
  const found = await Promise.all([read('from', all, FORWARD), read('from', changed, MADE), read('to', changed, BACKWARD)]);
  const [forward, made, backward] = found.map((some) => some.slice(0, MAX_EDGES));
  const ahead = [...forward!, ...made!].map(({ from, to, kind, access }) => ({ from, to, kind, canChange: access?.privilege !== 'read' }));
  const turned = backward!.map(({ from, to, kind }) => ({ from: to, to: from, kind, canChange: true }));
  return { edges: [...ahead, ...turned], cut: found.some((some) => some.length > MAX_EDGES) };
}

const FIELDS = ['resource_uid', 'resource_type', 'resource_name', 'provider', 'account_id', 'data_classes'] as const;
const UNKNOWN = { resource_type: null, resource_name: null, provider: null, account_id: null };

async function described(context: EngineContext, reached: ReadonlyMap<string, Reached>) {
  const uids = [...reached.keys()];
  const ids = uids.map((uid) => assetRowId(context.auth.tenant_id, uid));
  const mayReadJewels = holds(context.auth, 'risk:read');
  const [known, others, jewels] = await Promise.all([
    context.collection(assets).find({ _id: { $in: ids } }, { fields: FIELDS }),
    context.collection(accessNodes).find({ _id: { $in: ids } }, { fields: ['uid', 'type', 'name', 'provider', 'account_id'] }),
    mayReadJewels && uids.length > 0 ? jewelsAmong(context, reached) : [],
  ]);
  const facts = new Map<string, object & { data_classes?: string[] }>([
    ...others.map(
      ({ uid, type, name, provider, account_id }) => [uid, { resource_type: type, resource_name: name, provider, account_id }] as const,
    ),
    ...known.map((row) => [row.resource_uid, row] as const),
  ]);
  const nodes = uids.map((uid) => {
    const own = { ...UNKNOWN, ...facts.get(uid) };
    return { ...own, resource_uid: uid, ...reached.get(uid)!, data_classes: facts.get(uid)?.data_classes ?? [] };
  });
  return {
    nodes,
    reached: nodes.length,
    by_edge_kind: countsOf(nodes.map(({ kind }) => kind)),
    by_type: countsOf(nodes.map(({ resource_type }) => resource_type)),
    by_account: countsOf(nodes.map(({ account_id }) => account_id)),
    jewels,
    data_classes: [...new Set(nodes.flatMap(({ data_classes }) => data_classes))].sort(),
    administrators: uids.filter(isAdministrator).sort(),
    restrictedEngines: mayReadJewels ? [] : ['risk'],
  };
}

async function jewelsAmong(context: EngineContext, reached: ReadonlyMap<string, Reached>) {
  const found: { resource_uid: string; tier: string; state: string; hops: number }[] = [];
  for await (const { resource_uid, tier, state } of readCrownJewels(context, [...reached.keys()]))
    if (state !== 'refused') found.push({ resource_uid, tier, state, hops: reached.get(resource_uid)!.hops });
  return found.sort((one, other) => one.hops - other.hops || (one.resource_uid < other.resource_uid ? -1 : 1));
}

/** How often each value is there, the most first; what has none is not counted. */
function countsOf(values: readonly (string | null)[]): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
}
