import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { JewelKind, JewelState, JewelTier } from '../../../kit/read/crown-jewels.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { crownJewels, type CrownJewelRow } from './records.js';

export interface JewelFilter extends PageArguments {
  state?: JewelState[] | null;
  tier?: JewelTier[] | null;
  kind?: JewelKind[] | null;
  provider?: string[] | null;
  account_id?: string[] | null;
  resource_type?: string[] | null;
  resource_uid?: string[] | null;
}

const FILTERS = ['tier', 'kind', 'provider', 'account_id', 'resource_type', 'resource_uid'] as const;
const USUAL: readonly JewelState[] = ['accepted', 'proposed'];

/** Crown jewels, the highest tier first; what people have refused is shown when `state` asks for it. */
export async function listJewels(context: EngineContext, args: JewelFilter) {
  const window = pageWindow(args);
  const condition: Record<string, unknown> = { state: { $in: args.state ?? USUAL } };
  for (const name of FILTERS) if (args[name]) condition[name] = { $in: args[name] };
  const rows = context.collection(crownJewels);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { rank: -1, resource_uid: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}

/** Jewels that engines read at a time, at most. */
const MOST = 1_000;

/** Resources that engines ask about at a time, at most. */
const MOST_ASKED = 2_000;

export interface JewelBatchArguments {
  resource_uids?: readonly string[] | null;
  after?: string | null;
  limit: number;
}

/** Some of the crown jewels by resource_uid, and where the next ones begin. @throws PalisadeError BAD_REQUEST */
export async function jewelBatch(context: EngineContext, { resource_uids, after, limit }: JewelBatchArguments) {
  if (limit < 1 || limit > MOST) throw badRequest(`limit must be from 1 to ${MOST}`);
  if (resource_uids && resource_uids.length > MOST_ASKED) throw badRequest(`resource_uids must name at most ${MOST_ASKED} resources`);
  const condition = { resource_uid: { ...(resource_uids && { $in: resource_uids }), $gt: after ?? '' } };
  const rows = await context.collection(crownJewels).find(condition, { sort: { resource_uid: 1 }, limit });
  const items = rows.map((row) => ({ ...row, value: row.decision?.value ?? null, reason: reasonOf(row) }));
  return { items, next: items.length === limit ? items.at(-1)!.resource_uid : null };
}

/** Why people, or where they are silent facts, say what they say. */
export const reasonOf = ({ decision, proposal }: Pick<CrownJewelRow, 'decision' | 'proposal'>): string =>
  decision?.reason ?? proposal?.reasons.join(' ') ?? '';
