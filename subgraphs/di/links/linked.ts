import type { EdgeKind } from '../../../schema/model.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { assertModelSize } from '../inventory-model.js';
import { edges } from '../records.js';

/** Which edges of a resource are meant. */
export interface EdgeEnd {
  readonly kind: EdgeKind;
  readonly direction: 'out' | 'in';
}

/** Resources that are told by name; of more their number alone. */
const MOST = 10;

const SIDES = { out: ['from', 'to'], in: ['to', 'from'] } as const;

/**
 * What edges join to resources: how many others, and which, where they are few. Two reads a direction, however many resources there are.
 * @throws PalisadeError BAD_REQUEST for too many resources
 */
export async function linkedTo(context: EngineContext, uids: readonly string[], ends: readonly EdgeEnd[]) {
  assertModelSize(uids);
  const rows = context.collection(edges);
  const found = new Map<string, { total: number; items: Set<string> }>();
  const of = (uid: string) => {
    const known = found.get(uid) ?? { total: 0, items: new Set<string>() };
    found.set(uid, known);
    return known;
  };
  for (const direction of ['out', 'in'] as const) {
    const kinds = ends.filter((end) => end.direction === direction).map(({ kind }) => kind);
    if (kinds.length === 0) continue;
    const [own, other] = SIDES[direction];
    const kind = { $in: kinds };
    // two edges of one kind may join the same resources
    const counts = await rows.aggregate<{ _id: string; total: number }>([
      { $match: { [own]: { $in: uids }, kind } },
      { $group: { _id: { own: `$${own}`, other: `$${other}` } } },
      { $group: { _id: '$_id.own', total: { $sum: 1 } } },
    ]);
    for (const { _id, total } of counts) of(_id).total += total;
    const few = counts.filter(({ total }) => total <= MOST).map(({ _id }) => _id);
    const named = few.length > 0 ? await rows.find({ [own]: { $in: few }, kind }, { fields: [own, other] }) : [];
    for (const edge of named) of(edge[own]).items.add(edge[other]);
  }
  return [...found].map(([resource_uid, { total, items }]) => ({
    resource_uid,
    // what edges both lead to and come from counts once
    total: total <= MOST ? items.size : total,
    items: total <= MOST ? [...items].sort() : [],
  }));
}

/** Edges at some resources. */
export interface EdgesAt {
  resource_uids: string[];
  kind: EdgeKind[];
  direction: 'out' | 'in';
}

/** Edges that are told at a time. */
const MOST_EDGES = 5_000;

/** The edges of some kinds that lead from resources, or to them. @throws PalisadeError BAD_REQUEST for too many resources */
export async function edgesAt(context: EngineContext, { resource_uids, kind, direction }: EdgesAt) {
  assertModelSize(resource_uids);
  const [own] = SIDES[direction];
  const condition = { [own]: { $in: resource_uids }, kind: { $in: kind } };
  return context.collection(edges).find(condition, { fields: ['from', 'to', 'kind'], limit: MOST_EDGES });
}
