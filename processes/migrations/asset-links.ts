import type { Migration } from '../../kit/store/migration.js';
import { walkRows } from '../../kit/store/walk-rows.js';
import { EDGE_KINDS, type EdgeKind } from '../../schema/model.js';
import { linkColumns } from '../../subgraphs/di/links/columns.js';
import { assets, edgeRowId, edges } from '../../subgraphs/di/records.js';

/** Assets are found by the names that others refer to them by; what these references make is resolved once the process is up. */
export const assetsByName: Migration = {
  name: '2026-11-assets-by-name',
  run: (migrating) =>
    walkRows(migrating, {
      rows: assets,
      fields: ['resource_uid', 'resource_type', 'provider', 'account_id', 'configuration'],
      apart: ['tenant_id'],
      emptied: [],
      async each(rows, transaction) {
        const updates = rows.flatMap((asset) => {
          const columns = asset.configuration && linkColumns(asset);
          return columns ? [{ _id: asset._id, update: { $set: { ...columns, links_due: 'all' } } }] : [];
        });
        await migrating.database.tenant(rows[0]!.tenant_id).collection(assets).bulkUpdate(updates, { transaction });
      },
    }),
};

/** What earlier releases called an edge, where that is none of the kinds, and whether it led the other way. */
const FORMER: Readonly<Record<string, { kind: EdgeKind; reversed?: true }>> = {
  uses_secret: { kind: 'reads_secret' },
  uses_volume_claim: { kind: 'attached_to' },
  bound_to: { kind: 'attached_to' },
  owned_by: { kind: 'contains', reversed: true },
  in_namespace: { kind: 'contains', reversed: true },
  selects: { kind: 'exposes' },
};

function present(from: string, kind: string): { kind: EdgeKind; reversed?: true } {
  if (kind === 'applies_to' && from.includes('/NetworkPolicy/')) return { kind: 'guarded_by', reversed: true };
  return FORMER[kind] ?? { kind: 'refers_to' };
}

/** Edges have kinds of one list. */
export const edgesByKind: Migration = {
  name: '2026-11-edges-by-kind',
  run: (migrating) =>
    walkRows(migrating, {
      rows: edges,
      fields: ['from', 'to', 'kind', 'scan_run_id', 'last_seen_at'],
      apart: ['tenant_id'],
      emptied: [],
      async each(rows, transaction) {
        const tenantId = rows[0]!.tenant_id;
        const former = rows.filter(({ kind }) => !EDGE_KINDS.includes(kind));
        const updates = former.map(({ _id: _, tenant_id: _tenant, ...edge }) => {
          const { kind, reversed } = present(edge.from, edge.kind);
          const [from, to] = reversed ? [edge.to, edge.from] : [edge.from, edge.to];
          return { _id: edgeRowId(tenantId, from, to, kind), update: { $set: { ...edge, from, to, kind } }, upsert: true };
        });
        const own = migrating.database.tenant(tenantId).collection(edges);
        if (former.length > 0) await own.remove({ _id: { $in: former.map(({ _id }) => _id) } }, { transaction });
        await own.bulkUpdate(updates, { transaction });
      },
    }),
};
