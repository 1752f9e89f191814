import { JUDGED_FIELDS, type JudgedFinding } from '../../kit/findings/rule-tallies.js';
import { findings } from '../../kit/findings/row.js';
import { VerdictChanges } from '../../kit/findings/verdict-changes.js';
import type { Migrating, Migration } from '../../kit/store/migration.js';

/** Findings counted in one transaction. */
const BATCH = 500;

/**
 * Tallies counted results alone; from here on what a finding says goes before (decision 41). Each finding is counted as if it opened now: its
 * position is noted with its batch, because neither findings nor tallies show which were counted.
 */
export const judgedTallies: Migration = {
  name: '2026-11-judged-tallies',
  async run(migrating) {
    for (let position: string | null = migrating.position ?? ''; position !== null;) position = await countBatch(migrating, position);
  },
};

/** @returns `_id` of the last finding that was counted; null when none was left */
function countBatch({ database, batch, notePosition }: Migrating, position: string): Promise<string | null> {
  return batch(async (transaction) => {
    const rows: (JudgedFinding & { tenant_id: string })[] = await database
      .system(findings)
      .find({ _id: { $gt: position } }, { sort: { _id: 1 }, limit: BATCH, fields: ['tenant_id', ...JUDGED_FIELDS], transaction });
    const last = rows.at(-1);
    if (!last) return null;
    const tenants = new Map<string, VerdictChanges>();
    for (const row of rows) {
      const changes = tenants.get(row.tenant_id) ?? new VerdictChanges();
      tenants.set(row.tenant_id, changes);
      changes.move(null, row);
    }
    for (const [tenant, changes] of tenants) await changes.write(database, tenant, transaction, (id) => id <= position);
    await notePosition(last._id, transaction);
    return last._id;
  });
}
