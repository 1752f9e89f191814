import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';
import { AssetCounterChanges, assetCounters, COUNTED_COLUMNS } from '../../subgraphs/di/counters.js';
import { assetTexts, writeTexts } from '../../subgraphs/di/list/texts.js';
import { isPlanned } from '../../subgraphs/di/presence/outranked.js';
import { assets, type AssetRow } from '../../subgraphs/di/records.js';
import { openColumns } from '../../subgraphs/di/risk/columns.js';
import { countOpen } from '../../subgraphs/di/risk/unplaced.js';
import { engines } from '../../subgraphs/index.js';
import { networkExposures } from '../../subgraphs/network-security/exposures/records.js';

const findingEngines = () => engines.flatMap(({ findings }) => findings ?? []);
const isToldByPlan = ({ source }: AssetRow): boolean => isPlanned({ source: source ?? undefined });

/** Assets are listed by risk, open findings, exposure and text, and those that a plan alone tells of are counted apart. */
export const assetsListed: Migration = {
  name: '2026-11-assets-listed',
  run: (migrating) =>
    walkRows(migrating, {
      rows: assets,
      fields: [...COUNTED_COLUMNS, 'resource_uid', 'resource_name', 'source'],
      apart: ['tenant_id'],
      emptied: [assetCounters, assetTexts],
      async each(rows, transaction) {
        const tenant = migrating.database.tenant(rows[0]!.tenant_id);
        const uids = rows.map(({ resource_uid }) => resource_uid);
        const open = await countOpen({ findingEngines: findingEngines() }, tenant, uids, transaction);
        const exposed = await tenant.collection(networkExposures).find({ resource_uid: { $in: uids } }, { transaction });
        const exposures = new Map(exposed.map(({ resource_uid, exposure }) => [resource_uid, exposure]));
        const updates = rows.map((row) => {
          const exposure = exposures.get(row.resource_uid);
          const columns = { ...(isToldByPlan(row) && { planned: true }), ...(exposure && { exposure }) };
          return { _id: row._id, update: { $set: { ...columns, ...openColumns(open.get(row.resource_uid) ?? {}, findingEngines()) } } };
        });
        await tenant.collection(assets).bulkUpdate(updates, { transaction });
        await writeTexts(tenant, rows, transaction);
        const counters = new AssetCounterChanges(tenant);
        for (const row of rows) counters.move(null, { ...row, planned: isToldByPlan(row) });
        await counters.write(transaction);
      },
    }),
};
