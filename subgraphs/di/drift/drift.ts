import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { assetChanges, inventoryRunId, inventoryRuns, type AssetChangeRow } from '../changes/records.js';
import type { PathChange } from '../changes/diff.js';

/** Changes that are read, and paths that are told of one asset. */
const MOST_CHANGES = 10_000;
const MOST_PATHS = 200;

export interface DriftArguments {
  from: string;
  to: string;
  account_id?: string | null;
}

export type DriftKind = 'added' | 'changed' | 'removed';

interface Drifted {
  resource_uid: string;
  resource_type: string | null;
  account_id: string | null;
  kind: DriftKind;
  paths: PathChange[];
  more_paths: number;
}

/**
 * What became of the assets between two runs: behind the first and up to the second. An asset that came and went in between is left out.
 * @returns null for a run that described no assets
 * @throws PalisadeError BAD_REQUEST when the second began before the first
 */
export async function driftBetween(context: EngineContext, { from, to, account_id }: DriftArguments) {
  const runs = context.collection(inventoryRuns);
  const ids = [from, to].map((run) => inventoryRunId(context.auth.tenant_id, run));
  const [start, end] = await Promise.all(ids.map((_id) => runs.findOne({ _id })));
  if (!start || !end) return null;
  if (end.at < start.at) throw badRequest('to must be a run that began after from');
  const condition = { changed_at: { $gt: start.at, $lte: end.at }, ...(account_id != null && { account_id }) };
  const rows = await context.collection(assetChanges).find(condition, { sort: { changed_at: 1, _id: 1 }, limit: MOST_CHANGES + 1 });
  const all = folded(rows.slice(0, MOST_CHANGES));
  const of = (wanted: DriftKind) => all.filter(({ kind }) => kind === wanted).length;
  return {
    ...{ from, to, from_at: start.at, to_at: end.at },
    ...{ added: of('added'), changed: of('changed'), removed: of('removed') },
    items: all.sort((one, other) => (one.resource_uid < other.resource_uid ? -1 : 1)),
    cut: rows.length > MOST_CHANGES,
  };
}

/** Changes in their order, put together asset by asset. */
function folded(rows: readonly AssetChangeRow[]): Drifted[] {
  const byAsset = new Map<string, AssetChangeRow[]>();
  for (const row of rows) {
    // what counts less changes nothing
    if (row.event === 'disagreed') continue;
    const known = byAsset.get(row.resource_uid);
    if (known) known.push(row);
    else byAsset.set(row.resource_uid, [row]);
  }
  return [...byAsset].flatMap(([resource_uid, changes]) => {
    const [first, last] = [changes[0]!, changes.at(-1)!];
    const wasThere = first.event !== 'added' && first.event !== 'returned';
    const isThere = last.event !== 'gone';
    if (!wasThere && !isThere) return [];
    const kind = wasThere ? (isThere ? 'changed' : 'removed') : 'added';
    const paths = kind === 'changed' ? pathsOf(changes) : [];
    const changed = changes.reduce((sum, { more_paths }) => sum + more_paths, 0);
    if (kind === 'changed' && paths.length === 0 && changed === 0) return [];
    return [
      {
        ...{ resource_uid, resource_type: last.resource_type ?? null, account_id: last.account_id ?? null, kind },
        ...{ paths: paths.slice(0, MOST_PATHS), more_paths: kind === 'changed' ? changed + Math.max(0, paths.length - MOST_PATHS) : 0 },
      },
    ];
  });
}

/** The paths that differ after several changes: each with its first value and its last one, where these are not the same. */
function pathsOf(changes: readonly AssetChangeRow[]): PathChange[] {
  const paths = new Map<string, PathChange>();
  for (const change of changes.flatMap((row) => row.paths)) {
    const before = paths.get(change.path);
    const was = before ? before.kind !== 'added' : change.kind !== 'added';
    const is = change.kind !== 'removed';
    const kind = was ? (is ? 'changed' : 'removed') : 'added';
    if (!was && !is) paths.delete(change.path);
    else paths.set(change.path, { ...change, kind, before: before ? before.before : change.before });
  }
  return [...paths.values()].filter(({ before, after, kind }) => kind !== 'changed' || JSON.stringify(before) !== JSON.stringify(after));
}
