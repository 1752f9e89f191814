import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';
import { AssetCounterChanges, assetCounters, COUNTED_COLUMNS } from '../../subgraphs/di/counters.js';
import { assets } from '../../subgraphs/di/records.js';

/** Assets are counted by the columns that lists and summaries go by. */
export const assetsCounted: Migration = {
  name: '2026-11-assets-counted',
  run: (migrating) =>
    walkRows(migrating, {
      rows: assets,
      fields: COUNTED_COLUMNS,
      apart: ['tenant_id'],
      emptied: [assetCounters],
      async each(rows, transaction) {
        const changes = new AssetCounterChanges(migrating.database.tenant(rows[0]!.tenant_id));
        for (const row of rows) changes.move(null, row);
        await changes.write(transaction);
      },
    }),
};
