import { dueRank } from '../../kit/findings/sla/due-rank.js';
import { findings } from '../../kit/findings/row.js';
import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';

/** Findings are listed by their due dates. */
export const findingsByDueRank: Migration = {
  name: '2026-11-findings-by-due-rank',
  run: (migrating) =>
    walkRows(migrating, {
      rows: findings,
      fields: ['due_at', 'due_rank'],
      apart: ['tenant_id', 'engine'],
      emptied: [],
      async each(rows, transaction) {
        const { tenant_id, engine } = rows[0]!;
        const updates = rows
          .filter(({ due_at, due_rank }) => due_rank !== dueRank(due_at))
          .map(({ _id, due_at }) => ({ _id, update: { $set: { due_rank: dueRank(due_at) } } }));
        await migrating.database.tenant(tenant_id).engine(engine).collection(findings).bulkUpdate(updates, { transaction });
      },
    }),
};
