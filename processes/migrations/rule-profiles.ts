import { auditHeads } from '../../kit/audit/audit.js';
import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';
import { ruleProfiles } from '../../subgraphs/rules/records.js';

/** Tenants from before there were profiles go on seeing the findings of all rules, until they choose; only new ones begin with fewer. */
export const ruleProfilesOfBefore: Migration = {
  name: '2026-11-rule-profiles',
  run: (migrating) =>
    walkRows(migrating, {
      rows: auditHeads,
      fields: ['tenant_id'],
      apart: ['tenant_id'],
      emptied: [],
      async each(rows, transaction) {
        const { tenant_id } = rows[0]!;
        const update = { $setOnInsert: { profile: 'all', changes: 0 } };
        await migrating.database
          .tenant(tenant_id)
          .collection(ruleProfiles)
          .bulkUpdate([{ _id: tenant_id, update, upsert: true }], { transaction });
      },
    }),
};
