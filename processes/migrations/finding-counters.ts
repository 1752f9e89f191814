import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { COUNTED_FIELDS, findingCounters } from '../../kit/findings/counters.js';
import { findings } from '../../kit/findings/row.js';
import { findingTexts } from '../../kit/findings/texts.js';
import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';

/** Counters are kept by every column that filters go by; those of the release before, by account alone, go. */
export const countersByColumn: Migration = {
  name: '2026-11-counters-by-column',
  run: (migrating) =>
    walkRows(migrating, {
      rows: findings,
      fields: COUNTED_FIELDS,
      apart: ['tenant_id', 'engine'],
      emptied: [findingCounters, findingTexts],
      async each(rows, transaction) {
        const { tenant_id, engine } = rows[0]!;
        const changes = new CounterChanges();
        for (const row of rows) changes.add(row, 1);
        await changes.write(migrating.database.tenant(tenant_id).engine(engine), transaction);
      },
    }),
};
