import type { RetentionRule, RetentionRun } from '../../kit/engine/retention-rule.js';
import { findings } from '../../kit/findings/row.js';
import { assetChanges, inventoryRuns } from './changes/records.js';
import { COUNTED_COLUMNS } from './counters.js';
import { withdraw } from './presence/gone.js';
import { assets, edges, goneAssets } from './records.js';

/** Resources that no run has seen since, and that nothing stands on: neither a finding, whatever became of it, nor a rule's result. */
export const assetRetention: RetentionRule = {
  what: 'resources of the inventory',
  setting: 'discovery_retention_days',
  standard: null,
  collection: assets,
  time: 'last_seen_at',
  fields: ['resource_uid'],
  inUse: findReferenced,
  async alongside({ services, tenantId }, ids, transaction) {
    const tenant = services.database.tenant(tenantId);
    const fields = [...COUNTED_COLUMNS, 'planned', 'resource_uid', 'configuration', 'known_as', 'former_names'];
    const going = await tenant.collection(assets).find({ _id: { $in: ids } }, { fields, transaction });
    await withdraw(services.ingest.projections, tenant, going, transaction);
  },
};

/** Changes of resources. */
export const changeRetention: RetentionRule = {
  what: 'changes of resources',
  setting: 'discovery_retention_days',
  standard: null,
  collection: assetChanges,
  time: 'changed_at',
};

/** Resources that are gone. */
export const goneRetention: RetentionRule = {
  what: 'resources that are gone',
  setting: 'discovery_retention_days',
  standard: null,
  collection: goneAssets,
  time: 'gone_at',
};

/** Runs that described resources. */
export const inventoryRunRetention: RetentionRule = {
  what: 'runs of the inventory',
  setting: 'discovery_retention_days',
  standard: null,
  collection: inventoryRuns,
  time: 'at',
};

/** Relationships that no run has seen since. */
export const edgeRetention: RetentionRule = {
  what: 'relationships of the inventory',
  setting: 'discovery_retention_days',
  standard: null,
  collection: edges,
  time: 'last_seen_at',
};

async function findReferenced(
  { services, tenantId }: RetentionRun,
  rows: readonly Record<string, unknown>[],
): Promise<ReadonlySet<string>> {
  const tenant = services.database.tenant(tenantId);
  const uids = rows.map(({ resource_uid }) => String(resource_uid));
  const named = { resource_uid: { $in: uids } };
  const found = await Promise.all([
    services.ingest.evaluated(services, tenantId, uids),
    ...services.findingEngines.map(({ engine }) => tenant.engine(engine).collection(findings).distinct('resource_uid', named)),
  ]);
  const used = new Set(found.flat());
  return new Set(rows.filter(({ resource_uid }) => used.has(resource_uid)).map(({ _id }) => String(_id)));
}
