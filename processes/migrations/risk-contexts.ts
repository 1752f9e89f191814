import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';
import { assets } from '../../subgraphs/di/records.js';
import { RISK_CONTEXT_COLUMNS, rescoreMark } from '../../subgraphs/di/risk/rescore.js';

/** The risk score of findings weighs how far the internet reaches their resource and how critical it is: those on such assets are scored anew. */
export const riskContexts: Migration = {
  name: '2026-11-risk-contexts',
  run: (migrating) =>
    walkRows(migrating, {
      rows: assets,
      fields: RISK_CONTEXT_COLUMNS,
      apart: ['tenant_id'],
      emptied: [],
      async each(rows, transaction) {
        const updates = rows.flatMap((row) => {
          const mark = rescoreMark({}, row);
          return mark.rescore_due ? [{ _id: row._id, update: { $set: mark } }] : [];
        });
        await migrating.database.tenant(rows[0]!.tenant_id).collection(assets).bulkUpdate(updates, { transaction });
      },
    }),
};
