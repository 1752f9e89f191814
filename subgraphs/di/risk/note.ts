import type { ExposureSink } from '../../../kit/engine/exposure.js';
import type { OpenFindingsSink } from '../../../kit/engine/open-findings.js';
import { assetRowId, assets, goneAssets } from '../records.js';
import { changedOpen, openColumns } from './columns.js';
import { rescoreMark, RISK_CONTEXT_COLUMNS } from './rescore.js';
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

/** Keeps how far the internet reaches assets, and marks those whose findings get other scores by it. */
export const noteExposures: ExposureSink = async ({ database }, tenantId, exposures, transaction) => {
  const rows = database.tenant(tenantId).collection(assets);
  const changes = new Map([...exposures].map(([uid, exposure]) => [assetRowId(tenantId, uid), exposure]));
  const stored = await rows.find({ _id: { $in: [...changes.keys()] } }, { fields: RISK_CONTEXT_COLUMNS, transaction });
  const updates = stored.map(({ _id, ...before }) => {
    const exposure = changes.get(_id) ?? undefined;
    const mark = rescoreMark(before, { ...before, exposure });
    return { _id, update: exposure ? { $set: { exposure, ...mark } } : { $set: mark, $unset: { exposure: '' } } };
  });
  await rows.bulkUpdate(updates, { transaction });
};
