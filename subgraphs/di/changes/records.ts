import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, number, object, optional, text, textOf } from '../../../kit/store/fields.js';
import type { PathChange } from './diff.js';

/** What became of an asset with a run. */
export type AssetEvent = 'added' | 'changed' | 'gone' | 'returned' | 'disagreed';

/** What became of an asset with a run; of a changed configuration what changed. */
export const assetChanges = defineCollection(
  'asset_changes',
  {
    resource_uid: text,
    resource_type: optional(text),
    account_id: optional(nullable(text)),
    /** Rows of earlier releases lack it, and are of changed configurations. */
    event: optional(textOf<AssetEvent>()),
    scan_run_id: text,
    /** When the run began. */
    changed_at: date,
    paths: list(object<PathChange>()),
    /** Changed paths beyond those that are kept. */
    more_paths: number,
  },
  [
    { key: { tenant_id: 1, resource_uid: 1, changed_at: -1, _id: 1 } },
    { key: { tenant_id: 1, changed_at: 1, _id: 1 } },
    { key: { tenant_id: 1, account_id: 1, changed_at: 1, _id: 1 } },
    { key: { tenant_id: 1, scan_run_id: 1, event: 1 } },
  ],
);
export type AssetChangeRow = RowOf<typeof assetChanges>;

/** A run that described assets; `_id` is `<tenant_id>|<scan_run_id>`. */
export const inventoryRuns = defineCollection(
  'inventory_runs',
  { scan_run_id: text, at: date, observed_at: optional(nullable(date)), accounts: list(text) },
  [{ key: { tenant_id: 1, at: 1 } }],
);
export const inventoryRunId = (tenantId: string, scanRunId: string): string => `${tenantId}|${scanRunId}`;
