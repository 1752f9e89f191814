import { findings } from '../../kit/findings/row.js';
import { DueDates } from '../../kit/findings/sla/due-dates.js';
import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';

/** Findings have due dates, by the usual windows: no tenant has a policy of its own yet. */
export const findingsByDueDate: Migration = {
  name: '2026-11-findings-by-due-date',
  run: (migrating) =>
    walkRows(migrating, {
      rows: findings,
      fields: ['severity', 'first_seen_at', 'regressed_at', 'due_at', 'due_set_by'],
      apart: ['tenant_id', 'engine'],
      emptied: [],
      async each(rows, transaction) {
        const { tenant_id, engine } = rows[0]!;
        const dates = new DueDates();
        const updates = rows.flatMap((row) => {
          const change = dates.change(row);
          return 'due_at' in change ? [{ _id: row._id, update: { $set: change } }] : [];
        });
        await migrating.database.tenant(tenant_id).engine(engine).collection(findings).bulkUpdate(updates, { transaction });
      },
    }),
};
