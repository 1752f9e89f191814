import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { Provider } from '../../../schema/model.js';
import { edges } from '../records.js';

const MOST = 1_000;

export interface RisingEdgesArguments {
  provider: Provider;
  after?: string | null;
  limit: number;
}

/** Some of the edges that tell who has every right or may come to more than was given, and where the next ones begin. */
export async function risingEdgeBatch(context: EngineContext, { provider, after, limit }: RisingEdgesArguments) {
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  const condition = { rises: provider, ...(after != null && { _id: { $gt: after } }) };
  const items = await context.collection(edges).find(condition, { sort: { _id: 1 }, limit });
  return { items, next: items.length === limit ? items.at(-1)!._id : null };
}
