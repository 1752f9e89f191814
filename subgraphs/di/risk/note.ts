import type { ExposureSink } from '../../../kit/engine/exposure.js';
import type { OpenFindingsSink } from '../../../kit/engine/open-findings.js';
import { assetRowId, assets, goneAssets } from '../records.js';
import { changedOpen, openColumns } from './columns.js';
import { unplacedFindings } from './unplaced.js';

/** Keeps the open findings of assets, those that are gone included, in step with the findings of an engine. */
export const noteOpenFindings: OpenFindingsSink = async ({ database, findingEngines }, tenantId, engine, changes, transaction) => {
  const tenant = database.tenant(tenantId);
  const left = new Map([...changes.keys()].map((uid) => [assetRowId(tenantId, uid), uid]));
  for (const rows of [tenant.collection(assets), tenant.collection(goneAssets)]) {
    if (left.size === 0) return;
    const found = await rows.find({ _id: { $in: [...left.keys()] } }, { fields: ['open_findings'], transaction });
    const updates = found.map(({ _id, open_findings = {} }) => {
      const open = changedOpen(open_findings, engine, changes.get(left.get(_id)!)!);
      return { _id, update: { $set: openColumns(open, findingEngines) } };
    });
    await rows.bulkUpdate(updates, { transaction });
    for (const { _id } of found) left.delete(_id);
  }
  const unplaced = [...left].map(([_id, resource_uid]) => ({ _id, update: { $set: { resource_uid } }, upsert: true }));
  await tenant.collection(unplacedFindings).bulkUpdate(unplaced, { transaction });
};

/** Keeps how far the internet reaches assets. */
export const noteExposures: ExposureSink = async ({ database }, tenantId, exposures, transaction) => {
  const updates = [...exposures].map(([uid, exposure]) => ({
    _id: assetRowId(tenantId, uid),
    update: exposure === null ? { $unset: { exposure: '' } } : { $set: { exposure } },
  }));
  await database.tenant(tenantId).collection(assets).bulkUpdate(updates, { transaction });
};
