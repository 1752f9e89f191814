import type { Exposure } from '../../../catalog/network/types.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { networkExposures } from './records.js';

export interface ExposureFilter {
  exposure?: Exposure['exposure'][] | null;
  provider?: string[] | null;
  account_id?: string[] | null;
  region?: string[] | null;
  resource_type?: string[] | null;
  resource_uid?: string[] | null;
  port?: number | null;
}

export const LAST_PORT = 65_535;

/** What the internet reaches, worst first. @throws PalisadeError BAD_REQUEST for a port that is none */
export async function listExposures(context: EngineContext, args: ExposureFilter & PageArguments) {
  const window = pageWindow(args);
  const { port } = args;
  if (port != null && (port < 0 || port > LAST_PORT)) throw badRequest(`port must be from 0 to ${LAST_PORT}`);
  const condition: Record<string, unknown> = {};
  for (const name of ['exposure', 'provider', 'account_id', 'region', 'resource_type', 'resource_uid'] as const)
    if (args[name]) condition[name] = { $in: args[name] };
  if (port != null) condition['ports'] = { $elemMatch: { from: { $lte: port }, to: { $gte: port } } };
  const rows = context.collection(networkExposures);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { rank: -1, resource_uid: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}

const MOST_OF_RUN = 1_000;

/** A run of what the internet reaches, by resource_uid, and where the next one begins. @throws PalisadeError BAD_REQUEST for a limit that is none */
export async function exposureBatch(context: EngineContext, { after, limit }: { after?: string | null; limit: number }) {
  if (limit < 1 || limit > MOST_OF_RUN) throw badRequest(`limit must be from 1 to ${MOST_OF_RUN}`);
  const items = await context
    .collection(networkExposures)
    .find(after == null ? {} : { resource_uid: { $gt: after } }, { sort: { resource_uid: 1 }, limit });
  return { items, next: items.length === limit ? items.at(-1)!.resource_uid : null };
}
