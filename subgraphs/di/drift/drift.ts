import { badRequest } from '../../../kit/base/errors.js';
import { BoundedCache } from '../../../kit/base/bounded-cache.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { keptUnder } from '../../../kit/store/kept.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { Filter } from '../../../kit/store/query.js';
import { assetChanges, inventoryRunId, inventoryRuns } from '../changes/records.js';
import { countAssets } from '../counters.js';
import { foldChanges, type Drifted, type DriftKind } from './fold.js';
import { pathsBetween } from './paths.js';

export interface DriftArguments extends PageArguments {
  from: string;
  to: string;
  account_id?: string | null;
  kind?: DriftKind[] | null;
}

/** Assets whose paths are read at once. */
const AT_ONCE = 200;

/** Drifts asked for last, over all tenants. */
const kept = new BoundedCache<{ readonly answer: unknown }>(20);

/**
 * What became of the assets between two runs: behind the first and up to the second. An asset that came and went in between is left out, and so is one
 * that is again as it was.
 * @returns null for a run that described no assets
 * @throws PalisadeError BAD_REQUEST when the second began before the first
 */
export async function driftBetween(context: EngineContext, { from, to, account_id, kind, ...page }: DriftArguments) {
  const window = pageWindow(page);
  const { tenant_id } = context.auth;
  const runs = context.collection(inventoryRuns);
  const [start, end] = await Promise.all([from, to].map((run) => runs.findOne({ _id: inventoryRunId(tenant_id, run) })));
  if (!start || !end) return null;
  if (end.at < start.at) throw badRequest('to must be a run that began after from');
  const condition = { changed_at: { $gt: start.at, $lte: end.at }, ...(account_id != null && { account_id }) };
  const version = (await countAssets(context.services.database.tenant(tenant_id)))?.version;
  const all = await keptUnder([tenant_id, 'drift', version, condition], () => driftedAssets(context, condition), kept);
  const of = (wanted: DriftKind) => all.filter((one) => one.kind === wanted).length;
  const listed = kind ? all.filter((one) => kind.includes(one.kind)) : all;
  const items = listed.slice(window.skip, window.skip + window.limit);
  const paths = await pathsBetween(
    context,
    condition,
    items.filter((one) => one.kind === 'changed').map(({ resource_uid }) => resource_uid),
  );
  return {
    ...{ from, to, from_at: start.at, to_at: end.at },
    ...{ added: of('added'), changed: of('changed'), removed: of('removed') },
    ...toPage(
      items.map(({ changes: _, ...one }) => ({ ...one, ...(paths.get(one.resource_uid) ?? { paths: [], more_paths: 0 }) })),
      listed.length,
      window,
    ),
  };
}

/** Every asset that differs, by resource_uid. Of one that has changed more than once its paths tell whether it differs after all. */
async function driftedAssets(context: EngineContext, condition: Filter): Promise<Drifted[]> {
  const fields = ['resource_uid', 'resource_type', 'account_id', 'event', 'changed_at'];
  const rows = context.collection(assetChanges).scan(condition, { sort: { changed_at: 1, _id: 1 }, fields, batchSize: 1_000 });
  const folded = await foldChanges(rows);
  const again = folded.filter(({ kind, changes }) => kind === 'changed' && changes > 1).map(({ resource_uid }) => resource_uid);
  const same = new Set<string>();
  for (let at = 0; at < again.length; at += AT_ONCE) {
    const part = again.slice(at, at + AT_ONCE);
    const found = await pathsBetween(context, condition, part);
    for (const uid of part) if (!found.has(uid)) same.add(uid);
  }
  return folded
    .filter(({ resource_uid }) => !same.has(resource_uid))
    .sort((one, other) => (one.resource_uid < other.resource_uid ? -1 : 1));
}
