import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { COUNTED_FIELDS, findingCounters, type CountedRow } from '../../kit/findings/counters.js';
import { findings } from '../../kit/findings/row.js';
import { findingTexts } from '../../kit/findings/texts.js';
import type { Migrating, Migration } from '../../kit/store/migration.js';

/** Findings counted in one transaction. */
const BATCH = 1_000;

/**
 * Counters are kept by every column that filters go by; those of the release before, by account alone, go. All findings are counted anew, from the
 * position that is noted with each batch.
 */
export const countersByColumn: Migration = {
  name: '2026-11-counters-by-column',
  async run(migrating) {
    let position = migrating.position;
    if (position === null) {
      await migrating.batch(async (transaction) => {
        for (const rows of [findingCounters, findingTexts])
          await migrating.database.system(rows as typeof findingCounters).remove({}, { transaction });
        await migrating.notePosition('', transaction);
      });
      position = '';
    }
    for (let from: string | null = position; from !== null;) from = await countBatch(migrating, from);
  },
};

/** @returns `_id` of the last finding that was counted; null when none was left */
function countBatch({ database, batch, notePosition }: Migrating, position: string): Promise<string | null> {
  return batch(async (transaction) => {
    const rows: (CountedRow & { _id: string; tenant_id: string; engine: string })[] = await database
      .system(findings)
      .find(
        { _id: { $gt: position } },
        { sort: { _id: 1 }, limit: BATCH, fields: ['tenant_id', 'engine', ...COUNTED_FIELDS], transaction },
      );
    const last = rows.at(-1);
    if (!last) return null;
    const counts = new Map<string, { tenant: string; engine: string; changes: CounterChanges }>();
    for (const row of rows) {
      const key = JSON.stringify([row.tenant_id, row.engine]);
      const known = counts.get(key) ?? { tenant: row.tenant_id, engine: row.engine, changes: new CounterChanges() };
      counts.set(key, known);
      known.changes.add(row, 1);
    }
    for (const { tenant, engine, changes } of counts.values()) await changes.write(database.tenant(tenant).engine(engine), transaction);
    await notePosition(last._id, transaction);
    return last._id;
  });
}
