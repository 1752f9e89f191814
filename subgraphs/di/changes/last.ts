import type { EngineContext } from '../../../kit/engine/context.js';
import { assertModelSize } from '../inventory-model.js';
import { assetChanges, type AssetEvent } from './records.js';

interface Last {
  /** Of the asset. */
  _id: string;
  /** Of the change. */
  last: string;
  first: AssetEvent | null;
  first_at: Date;
}

const SHOWN = ['resource_uid', 'event', 'scan_run_id', 'changed_at', 'paths', 'more_paths'];

/** What became of assets with the last run that made, changed or brought each back; those of which nothing is kept are left out. */
export async function lastChanges(context: EngineContext, resourceUids: readonly string[]) {
  assertModelSize(resourceUids);
  const rows = context.collection(assetChanges);
  const found = await rows.aggregate<Last>([
    { $match: { resource_uid: { $in: resourceUids }, event: { $nin: ['gone', 'disagreed'] } } },
    // what has changed is long, and wanted of the last alone
    { $project: { resource_uid: 1, changed_at: 1, event: 1 } },
    { $sort: { resource_uid: 1, changed_at: -1, _id: 1 } },
    { $group: { _id: '$resource_uid', last: { $first: '$_id' }, first: { $last: '$event' }, first_at: { $last: '$changed_at' } } },
  ]);
  const added = new Map(found.map(({ last, first, first_at }) => [last, first === 'added' ? first_at : null]));
  const changes = await rows.find({ _id: { $in: [...added.keys()] } }, { fields: SHOWN });
  return changes.map(({ _id, resource_uid, event, scan_run_id, changed_at, paths, more_paths }) => ({
    ...{ resource_uid, scan_run_id, changed_at, more_paths },
    event: event ?? 'changed',
    added_at: added.get(_id) ?? null,
    paths: paths.map(({ path }) => path),
  }));
}
