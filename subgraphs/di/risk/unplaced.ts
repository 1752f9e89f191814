import type { EngineServices } from '../../../kit/engine/context.js';
import { CLOSABLE } from '../../../kit/findings/lifecycle.js';
import { openFindingsKey } from '../../../kit/engine/open-findings.js';
import { findings, type FindingRow } from '../../../kit/findings/row.js';
import { defineCollection } from '../../../kit/store/collection.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import { text } from '../../../kit/store/fields.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { assetRowId, assets } from '../records.js';
import { openColumns, type OpenByEngine } from './columns.js';

type Services = Pick<EngineServices, 'database' | 'findingEngines'>;

/**
 * A resource whose findings have changed while the inventory had no row of it, because the tenant's plan had no room for one. When it gets one,
 * its findings are counted. `_id` is that of the asset's row.
 */
export const unplacedFindings = defineCollection('unplaced_findings', { resource_uid: text }, [{ key: { tenant_id: 1, resource_uid: 1 } }]);

/** Rows of one transaction. */
const BATCH = 200;

/** The open findings of resources, counted from the findings themselves. Resources without any are left out. */
export async function countOpen(
  { findingEngines }: Pick<Services, 'findingEngines'>,
  tenant: TenantDatabase,
  uids: readonly string[],
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, OpenByEngine>> {
  const group = { uid: '$resource_uid', engine: '$engine', severity: '$severity', risk_score: '$risk_score' };
  const groups = await tenant
    .engines(findingEngines.map(({ engine }) => engine))
    .collection(findings)
    .aggregate<{ _id: Pick<FindingRow, 'engine' | 'severity' | 'risk_score'> & { uid: string }; count: number }>(
      [{ $match: { resource_uid: { $in: uids }, status: { $in: CLOSABLE } } }, { $group: { _id: group, count: { $sum: 1 } } }],
      { transaction },
    );
  const open = new Map<string, Record<string, Record<string, number>>>();
  for (const { _id, count } of groups) {
    const of = open.get(_id.uid) ?? {};
    open.set(_id.uid, of);
    (of[_id.engine] ??= {})[openFindingsKey(_id)] = count;
  }
  return open;
}

/** The columns of new assets whose findings had no place yet, by resource_uid. They have one from now on. */
export async function placedOpen(
  services: Services,
  tenant: TenantDatabase,
  ids: readonly string[],
  transaction: TransactionOf,
): Promise<ReadonlyMap<string, ReturnType<typeof openColumns>>> {
  if (ids.length === 0) return new Map();
  const unplaced = tenant.collection(unplacedFindings);
  const found = await unplaced.find({ _id: { $in: ids } }, { transaction });
  if (found.length === 0) return new Map();
  await unplaced.remove({ _id: { $in: found.map(({ _id }) => _id) } }, { transaction });
  const open = await countOpen(
    services,
    tenant,
    found.map(({ resource_uid }) => resource_uid),
    transaction,
  );
  return new Map([...open].map(([uid, of]) => [uid, openColumns(of, services.findingEngines)]));
}

/**
 * Looks once more at the resources without a place: two runs at once may have brought the asset and its findings past each other. Those that have
 * no open finding any more are forgotten.
 */
export async function placeUnplaced(services: Services, tenantId: string, signal: AbortSignal): Promise<void> {
  const tenant = services.database.tenant(tenantId);
  const unplaced = tenant.collection(unplacedFindings);
  for (let after = ''; ;) {
    signal.throwIfAborted();
    const batch = await unplaced.find({ resource_uid: { $gt: after } }, { sort: { resource_uid: 1 }, limit: BATCH });
    if (batch.length === 0) return;
    after = batch.at(-1)!.resource_uid;
    const uids = batch.map(({ resource_uid }) => resource_uid);
    await services.database.transaction(async (transaction) => {
      const ids = uids.map((uid) => assetRowId(tenantId, uid));
      const rows = tenant.collection(assets);
      const found = await rows.find({ _id: { $in: ids } }, { fields: ['resource_uid'], transaction });
      const open = await countOpen(services, tenant, uids, transaction);
      await rows.bulkUpdate(
        found.map(({ _id, resource_uid }) => ({
          _id,
          update: { $set: openColumns(open.get(resource_uid) ?? {}, services.findingEngines) },
        })),
        { transaction },
      );
      const placed = new Set(found.map(({ _id }) => _id));
      const settled = batch.filter(({ _id, resource_uid }) => placed.has(_id) || !open.has(resource_uid));
      if (settled.length > 0) await unplaced.remove({ _id: { $in: settled.map(({ _id }) => _id) } }, { transaction });
    });
  }
}
