import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { Provider } from '../../../schema/model.js';
import { actorPrefix, cloudEventCoverage, cloudEventUsage, tenantPrefix } from './records.js';

export interface UsageBatchArguments {
  provider?: Provider | null;
  actor?: string[] | null;
  after?: string | null;
  limit: number;
}

const MOST = 1_000;
/** Actors that are asked about at once. */
const MOST_ACTORS = 200;

/** A run of what actors did, actor by actor, and where the next one begins. */
export async function usageBatch(context: EngineContext, { provider, actor, after, limit }: UsageBatchArguments) {
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  if (actor && (provider == null || actor.length > MOST_ACTORS))
    throw badRequest(`actors are at most ${MOST_ACTORS}, with their provider beside them`);
  const { tenant_id } = context.auth;
  const prefix = tenantPrefix(tenant_id);
  const from = after == null ? { $gte: prefix } : { $gt: `${prefix}${after}` };
  const own = actor?.map((one) => actorPrefix(tenant_id, provider!, one));
  const condition = {
    _id: { ...from, $lt: `${prefix}~` },
    ...(provider && { provider }),
    ...(own && { $or: own.map((start) => ({ _id: { $gte: start, $lt: `${start}~` } })) }),
  };
  const items = await context.collection(cloudEventUsage).find(condition, { sort: { _id: 1 }, limit });
  return { items, next: items.length === limit ? items.at(-1)!._id.slice(prefix.length) : null };
}

export const coverageOfProvider = (context: EngineContext, provider: Provider) =>
  context.collection(cloudEventCoverage).find({ provider }, { sort: { account_id: 1, log: 1 } });
