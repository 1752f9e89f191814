import type { Migrating, Migration } from '../../kit/store/migration.js';
import { AssetCounterChanges, assetCounters, COUNTED_COLUMNS } from '../../subgraphs/di/counters.js';
import { assets } from '../../subgraphs/di/records.js';

/** Assets counted in one transaction. */
const BATCH = 1_000;

/** Assets are counted by the columns that lists and summaries go by. The position is noted with each batch. */
export const assetsCounted: Migration = {
  name: '2026-11-assets-counted',
  async run(migrating) {
    let position = migrating.position;
    if (position === null) {
      await migrating.batch(async (transaction) => {
        await migrating.database.system(assetCounters).remove({}, { transaction });
        await migrating.notePosition('', transaction);
      });
      position = '';
    }
    for (let from: string | null = position; from !== null;) from = await countBatch(migrating, from);
  },
};

/** @returns `_id` of the last asset that was counted; null when none was left */
function countBatch({ database, batch, notePosition }: Migrating, position: string): Promise<string | null> {
  return batch(async (transaction) => {
    const options = { sort: { _id: 1 }, limit: BATCH, fields: ['tenant_id', ...COUNTED_COLUMNS], transaction } as const;
    const rows = await database.system(assets).find({ _id: { $gt: position } }, options);
    const last = rows.at(-1);
    if (!last) return null;
    const changes = new Map<string, AssetCounterChanges>();
    for (const row of rows) {
      const known = changes.get(row.tenant_id) ?? new AssetCounterChanges(database.tenant(row.tenant_id));
      changes.set(row.tenant_id, known);
      known.move(null, row);
    }
    for (const change of changes.values()) await change.write(transaction);
    await notePosition(last._id, transaction);
    return last._id;
  });
}
