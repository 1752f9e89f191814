import type { EngineContext } from '../../../kit/engine/context.js';
import type { Filter } from '../../../kit/store/query.js';
import type { PathChange } from '../changes/diff.js';
import { assetChanges } from '../changes/records.js';

/** Paths that are told of one asset. */
const MOST_PATHS = 200;

/**
 * The paths that differ after all changes of some assets that a condition selects, with the values at both ends; assets of which none does are left out.
 * Of paths that were too many to be kept it is not known whether they differ: they count.
 */
export async function pathsBetween(
  context: EngineContext,
  condition: Filter,
  uids: readonly string[],
): Promise<Map<string, { paths: PathChange[]; more_paths: number }>> {
  const folded = new Map<string, { paths: Map<string, PathChange>; more: number }>();
  if (uids.length === 0) return new Map();
  const options = {
    sort: { resource_uid: 1, changed_at: 1, _id: 1 },
    fields: ['resource_uid', 'event', 'paths', 'more_paths'],
    batchSize: 200,
  } as const;
  for await (const row of context.collection(assetChanges).scan({ ...condition, resource_uid: { $in: uids } }, options)) {
    if (row.event !== undefined && row.event !== 'changed') continue;
    const of = folded.get(row.resource_uid) ?? { paths: new Map<string, PathChange>(), more: 0 };
    for (const change of row.paths) take(of.paths, change);
    folded.set(row.resource_uid, { paths: of.paths, more: of.more + row.more_paths });
  }
  return new Map(
    [...folded].flatMap(([uid, { paths, more }]) => {
      const all = [...paths.values()].filter(differs);
      if (all.length === 0 && more === 0) return [];
      return [[uid, { paths: all.slice(0, MOST_PATHS), more_paths: more + Math.max(0, all.length - MOST_PATHS) }] as const];
    }),
  );
}

/** Puts a later change of a path together with the earlier ones. */
function take(paths: Map<string, PathChange>, change: PathChange): void {
  const before = paths.get(change.path);
  const was = before ? before.kind !== 'added' : change.kind !== 'added';
  const is = change.kind !== 'removed';
  if (!was && !is) paths.delete(change.path);
  else
    paths.set(change.path, {
      ...change,
      kind: was ? (is ? 'changed' : 'removed') : 'added',
      before: before ? before.before : change.before,
    });
}

const differs = ({ before, after, kind }: PathChange): boolean => kind !== 'changed' || JSON.stringify(before) !== JSON.stringify(after);
