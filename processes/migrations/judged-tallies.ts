import { JUDGED_FIELDS } from '../../kit/findings/rule-tallies.js';
import { findings } from '../../kit/findings/row.js';
import { VerdictChanges } from '../../kit/findings/verdict-changes.js';
import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';

/** Tallies counted results alone; from here on what a finding says goes before (decision 41). Each finding is counted as if it opened now. */
export const judgedTallies: Migration = {
  name: '2026-11-judged-tallies',
  run: (migrating) =>
    walkRows(migrating, {
      rows: findings,
      fields: JUDGED_FIELDS,
      apart: ['tenant_id'],
      emptied: [],
      async each(rows, transaction, position) {
        const changes = new VerdictChanges();
        for (const row of rows) changes.move(null, row);
        await changes.write(migrating.database, rows[0]!.tenant_id, transaction, (id) => id <= position);
      },
    }),
};
