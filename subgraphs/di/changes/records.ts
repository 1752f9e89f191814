import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, number, object, text } from '../../../kit/store/fields.js';
import type { PathChange } from './diff.js';

/** A changed configuration: one row an asset and run that saw another one than the run before. */
export const assetChanges = defineCollection(
  'asset_changes',
  {
    resource_uid: text,
    scan_run_id: text,
    /** When the run began. */
    changed_at: date,
    paths: list(object<PathChange>()),
    /** Changed paths beyond those that are kept. */
    more_paths: number,
  },
  [{ key: { tenant_id: 1, resource_uid: 1, changed_at: -1, _id: 1 } }, { key: { tenant_id: 1, changed_at: 1 } }],
);
export type AssetChangeRow = RowOf<typeof assetChanges>;
