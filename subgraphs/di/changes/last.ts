import type { EngineContext } from '../../../kit/engine/context.js';
import { assertModelSize } from '../inventory-model.js';
import type { PathChange } from './diff.js';
import { assetChanges, type AssetEvent } from './records.js';

interface Last {
  _id: string;
  event: AssetEvent | null;
  scan_run_id: string;
  changed_at: Date;
  first_at: Date;
  paths: readonly PathChange[];
  more_paths: number;
}

/** What became of assets with the last run that made, changed or brought each back; those of which nothing is kept are left out. */
export async function lastChanges(context: EngineContext, resourceUids: readonly string[]) {
  assertModelSize(resourceUids);
  const first = (name: string) => ({ $first: `$${name}` });
  const found = await context.collection(assetChanges).aggregate<Last>([
    { $match: { resource_uid: { $in: resourceUids }, event: { $nin: ['gone', 'disagreed'] } } },
    { $sort: { resource_uid: 1, changed_at: -1, _id: 1 } },
    {
      $group: {
        _id: '$resource_uid',
        event: first('event'),
        scan_run_id: first('scan_run_id'),
        changed_at: first('changed_at'),
        first_at: { $min: '$changed_at' },
        paths: first('paths'),
        more_paths: first('more_paths'),
      },
    },
  ]);
  return found.map(({ _id, event, paths, ...change }) => ({
    ...change,
    resource_uid: _id,
    event: event ?? 'changed',
    paths: paths.map(({ path }) => path),
  }));
}
