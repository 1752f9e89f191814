import { badRequest } from '../../kit/base/errors.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { attackPaths } from './records.js';

const MOST = 200;

/** Some of the paths by id, and where the next ones begin. @throws PalisadeError BAD_REQUEST for a limit that is none */
export async function pathBatch(context: EngineContext, { after, limit }: { after?: string | null; limit: number }) {
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  const behind = after == null ? {} : { _id: { $gt: `${context.auth.tenant_id}|${after}` } };
  const items = await context.collection(attackPaths).find(behind, { sort: { _id: 1 }, limit });
  return { items, next: items.length === limit ? items.at(-1)!.finding_id : null };
}
