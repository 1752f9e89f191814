import { randomUUID } from 'node:crypto';
import type { EngineServices } from '../../../kit/engine/context.js';
import type { RiskContext, RiskContextFinder } from '../../../kit/engine/risk-context.js';
import { rescoreFindings } from '../../../kit/findings/rescore.js';
import { contextWeight, riskScore } from '../../../kit/findings/risk-score.js';
import { wakeupPerDatabase } from '../../../kit/work/wakeup.js';
import { assetRowId, assets, type AssetRow } from '../records.js';

/** Assets of one turn. */
const PAGE = 200;

/** Columns that say what an asset adds to the risk of its findings. */
export const RISK_CONTEXT_COLUMNS = ['exposure', 'criticality'] as const;
type RiskContextColumns = Partial<Pick<AssetRow, (typeof RISK_CONTEXT_COLUMNS)[number]>>;

/** Where the task that scores findings anew waits for marks of its own process. */
export const rescoreWakeup = wakeupPerDatabase();

const riskContextOf = ({ exposure, criticality }: RiskContextColumns): RiskContext => ({
  exposure: exposure ?? null,
  criticality: criticality ?? null,
});

/** Marks an asset whose findings get other scores by a change of it; nothing where they stay. No two marks are the same. */
export const rescoreMark = (before: RiskContextColumns, after: RiskContextColumns): { rescore_due?: string } =>
  contextWeight(riskContextOf(before)) === contextWeight(riskContextOf(after)) ? {} : { rescore_due: randomUUID() };

/** What the inventory knows resources to add to the risk of their findings. */
export const findRiskContexts: RiskContextFinder = async ({ database }, tenantId, resourceUids, transaction) => {
  const ids = resourceUids.map((uid) => assetRowId(tenantId, uid));
  const rows = await database
    .tenant(tenantId)
    .collection(assets)
    .find({ _id: { $in: ids } }, { fields: ['resource_uid', ...RISK_CONTEXT_COLUMNS], transaction });
  return new Map(rows.map((row) => [row.resource_uid, riskContextOf(row)]));
};

/** Scores the findings on marked assets anew. Doing it again changes nothing; killed in the middle, the marks that are left tell what is. */
export async function rescoreDue(services: EngineServices, tenantId: string, signal: AbortSignal): Promise<void> {
  const rows = services.database.tenant(tenantId).collection(assets);
  const engines = services.findingEngines.map(({ engine }) => engine);
  for (;;) {
    const due = await rows.find({ rescore_due: { $exists: true } }, { limit: PAGE, fields: ['resource_uid', 'rescore_due'] });
    if (due.length === 0) return;
    const meant = { resource_uid: { $in: due.map(({ resource_uid }) => resource_uid) } };
    await rescoreFindings(services, tenantId, engines, meant, (row, context) => ({ risk_score: riskScore(row, context) }), signal);
    // what was marked again in between stays so
    const seen = { _id: { $in: due.map(({ _id }) => _id) }, rescore_due: { $in: due.map(({ rescore_due }) => rescore_due!) } };
    await rows.updateMany(seen, { $unset: { rescore_due: '' } });
  }
}
