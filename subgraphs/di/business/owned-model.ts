import { z } from 'zod';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { countAssets } from '../counters.js';
import { assets } from '../records.js';

const MOST = 1_000;
const FIELDS = ['resource_uid', 'owner'] as const;

/** Behind which owner and which asset of it a batch begins. */
const placeSchema = z.tuple([z.string(), z.string()]);

function placeOf(after: string): z.infer<typeof placeSchema> {
  try {
    return placeSchema.parse(JSON.parse(after));
  } catch {
    throw badRequest('after is not a place that an answer before gave');
  }
}

/**
 * Some of the tenant's assets that have an owner, by owner and resource_uid, where the next ones begin, and the version of all assets: another one
 * after each change of any. @throws PalisadeError BAD_REQUEST
 */
export async function ownedBatch(context: EngineContext, { after, limit }: { after?: string | null; limit: number }) {
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  const place = after == null ? null : placeOf(after);
  const rows = context.collection(assets);
  const version = (await countAssets(context.services.database.tenant(context.auth.tenant_id)))?.version ?? null;
  const read = (condition: Record<string, unknown>, most: number) =>
    rows.find(condition, { sort: { owner: 1, resource_uid: 1 }, limit: most, fields: FIELDS });
  // two ranges of one index, because one condition for both would be no range
  const items = place === null ? [] : await read({ owner: place[0], resource_uid: { $gt: place[1] } }, limit);
  if (items.length < limit) items.push(...(await read({ owner: { $gt: place?.[0] ?? '' } }, limit - items.length)));
  const last = items.at(-1);
  return { items, next: last && items.length === limit ? JSON.stringify([last.owner, last.resource_uid]) : null, version };
}
