import { containersOf, namesInScopes } from '../../catalog/access/place.js';
import { badRequest } from '../../kit/base/errors.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { EdgeKind } from '../../schema/model.js';
import { accessNodes } from './access/records.js';
import { assets, edges } from './records.js';

/** A run of rows, from where the one before ended. */
export interface RunArguments {
  after?: string | null;
  limit: number;
}

const MOST = 1_000;
const MOST_EDGES = 2_000;

function assertLimit(limit: number, most: number): void {
  if (limit < 1 || limit > most) throw badRequest(`limit must be from 1 to ${most}`);
}

/** Some of the tenant's assets as nodes of a graph. What a plan alone tells of is not there yet. */
export async function graphAssets(context: EngineContext, { after, limit }: RunArguments) {
  assertLimit(limit, MOST);
  const rows = await context
    .collection(assets)
    .find(after == null ? {} : { resource_uid: { $gt: after } }, { sort: { resource_uid: 1 }, limit });
  const items = rows
    .filter(({ planned }) => planned !== true)
    .map((asset) => {
      const located = { ...asset, configuration: asset.configuration ?? {}, account_id: asset.account_id ?? undefined };
      return {
        ...asset,
        data_classes: asset.data_classes ?? [],
        criticality: asset.criticality ?? null,
        environment: asset.environment ?? null,
        containers: containersOf(located),
        names: namesInScopes(located),
      };
    });
  return { items, next: rows.length === limit ? rows.at(-1)!.resource_uid : null };
}

/**
 * Some of the edges by what they come from. Many may come from one resource, so a run goes on behind the edges of its last one that were told:
 * the place is their number and that resource.
 */
export async function graphEdges(context: EngineContext, { kind, after, limit }: RunArguments & { kind: readonly EdgeKind[] }) {
  assertLimit(limit, MOST_EDGES);
  const [, told, from] = /^(\d+) (.*)$/s.exec(after ?? '') ?? [];
  if (after != null && from === undefined) throw badRequest('after must be the end of a run');
  const skip = Number(told ?? 0);
  const condition = { kind: { $in: kind }, ...(from !== undefined && { from: { $gte: from } }) };
  const items = await context.collection(edges).find(condition, { sort: { from: 1, kind: 1 }, skip, limit });
  const last = items.at(-1);
  if (last === undefined || items.length < limit) return { items, next: null };
  const own = items.filter((edge) => edge.from === last.from).length;
  return { items, next: `${last.from === from ? skip + own : own} ${last.from}` };
}

/** Some of what edges of access lead to beside resources. */
export async function graphAccessNodes(context: EngineContext, { after, limit }: RunArguments) {
  assertLimit(limit, MOST);
  const [, place, id] = /^(\S*) (\S+)$/.exec(after ?? '') ?? [];
  const behind = place === undefined ? {} : { $or: [{ access_in: { $gt: place } }, { access_in: place, _id: { $gt: id } }] };
  const items = await context.collection(accessNodes).find(behind, { sort: { access_in: 1, _id: 1 }, limit });
  const last = items.at(-1);
  return { items, next: items.length === limit ? `${last!.access_in} ${last!._id}` : null };
}
