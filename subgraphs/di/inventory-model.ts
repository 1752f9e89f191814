import { badRequest } from '../../kit/base/errors.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { MAX_PAGE_SIZE } from '../../kit/store/paging.js';
import { countedValues } from './counters.js';
import { weighedFacts } from './facts/weigh.js';
import { assets } from './records.js';

export interface InventoryBatchArguments {
  resource_type?: string[] | null;
  resource_uid?: string[] | null;
  after?: string | null;
  limit: number;
}

/** Refuses to read more assets at once than a page has. @throws PalisadeError BAD_REQUEST */
export function assertModelSize(uids: readonly string[]): void {
  if (uids.length > MAX_PAGE_SIZE) throw badRequest(`resource_uids must name at most ${MAX_PAGE_SIZE} assets`);
}

/** Asked types that are looked up as they are. Who asks for more mostly asks for what a few of a tenant's assets may be. */
const FEW_TYPES = 8;

/** The resource types that the tenant has assets of. */
export const presentTypes = async ({ services, auth }: EngineContext): Promise<string[]> =>
  [...(await countedValues(services.database.tenant(auth.tenant_id), 'resource_type'))].filter((type) => type !== null);

/** Those of the asked types that there are assets of, where many are asked for: an index is walked once a type. */
async function soughtTypes(context: EngineContext, asked: readonly string[]): Promise<readonly string[]> {
  if (asked.length <= FEW_TYPES) return asked;
  const sought = new Set(asked);
  return (await presentTypes(context)).filter((type) => sought.has(type));
}

/** A run of the tenant's assets by resource_uid, and where the next one begins. */
export async function inventoryBatch(context: EngineContext, { resource_type, resource_uid, after, limit }: InventoryBatchArguments) {
  if (limit < 1 || limit > MAX_PAGE_SIZE) throw badRequest(`limit must be from 1 to ${MAX_PAGE_SIZE}`);
  const types = resource_type && (await soughtTypes(context, resource_type));
  if (types?.length === 0) return { items: [], next: null };
  const condition = {
    ...(types && { resource_type: { $in: types } }),
    ...((resource_uid ?? after) != null && {
      resource_uid: { ...(resource_uid && { $in: resource_uid }), ...(after != null && { $gt: after }) },
    }),
  };
  const items = await context.collection(assets).find(condition, { sort: { resource_uid: 1 }, limit });
  return {
    items: items.map((asset) => ({
      ...asset,
      data_classes: asset.data_classes ?? [],
      facts: asset.facts ?? null,
      weighed_facts: weighedFacts(asset.facts, asset).facts ?? null,
    })),
    next: items.length === limit ? items.at(-1)!.resource_uid : null,
  };
}
