import { meaningOf } from '../../../catalog/edges.js';
import type { RunStart } from '../../../kit/engine/ingest-input.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { BulkUpdate, TransactionOf } from '../../../kit/store/query.js';
import type { EdgeInput } from '../../../schema/observations.js';
import { assetRowId, assets, edgeRowId, edges } from '../records.js';

/** Writes the edges that a report tells. What the table of edges knows of the attribute that tells it says what the edge means. */
export async function writeTold(
  tenant: TenantDatabase,
  run: RunStart,
  told: readonly EdgeInput[],
  transaction: TransactionOf,
): Promise<void> {
  const typeOf = await typesOf(tenant, told, transaction);
  const updates = told.map(({ from, to, kind, via, reversed }): BulkUpdate => {
    const meaning = via === undefined ? undefined : meaningOf(typeOf.get(from) ?? '', via, typeOf.get(to) ?? '');
    const [start, end] = (meaning ? meaning.reversed : reversed) ? [to, from] : [from, to];
    const is = meaning?.kind ?? kind;
    const seen = { scan_run_id: run.scan_run_id, last_seen_at: run.at };
    return {
      _id: edgeRowId(tenant.tenantId, start, end, is),
      update: { $set: { from: start, to: end, kind: is, ...(via !== undefined && { via }), ...seen } },
      upsert: true,
    };
  });
  await tenant.collection(edges).bulkUpdate(updates, { transaction });
}

async function typesOf(
  tenant: TenantDatabase,
  told: readonly EdgeInput[],
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, string>> {
  const uids = new Set(told.flatMap(({ from, to, via }) => (via === undefined ? [] : [from, to])));
  if (uids.size === 0) return new Map();
  const ids = [...uids].map((uid) => assetRowId(tenant.tenantId, uid));
  const found = await tenant.collection(assets).find({ _id: { $in: ids } }, { fields: ['resource_uid', 'resource_type'], transaction });
  return new Map(found.map(({ resource_uid, resource_type }) => [resource_uid, resource_type]));
}
