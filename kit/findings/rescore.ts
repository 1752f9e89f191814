import type { EngineServices } from '../engine/context.js';
import { getAuditLog } from '../engine/create-context.js';
import { inBatches } from '../engine/retention.js';
import type { RiskContext } from '../engine/risk-context.js';
import { SYSTEM_ACTOR } from '../base/auth-context.js';
import type { Filter } from '../store/query.js';
import { FindingUpdates } from './finding-updates.js';
import { MERGE_FIELDS } from './merge.js';
import { findings, type FindingRow } from './row.js';
import { DueDates } from './sla/due-dates.js';
import type { Scored } from './cves/intelligence.js';

/** Findings of one transaction. */
const BATCH = 500;
/** What is RESOLVED is scored by the run that finds it again. */
const SCORED = ['OPEN', 'IN_PROGRESS', 'SUPPRESSED', 'FALSE_POSITIVE'] as const;
const FIELDS = [...MERGE_FIELDS, 'severity_rank', 'cvss', 'reported'] as const;

type ScoredRow = Pick<FindingRow, '_id' | (typeof FIELDS)[number]>;

/** What a finding's scores are, in a resource of such a context. */
export type Scoring = (row: ScoredRow, context: RiskContext | undefined) => Partial<Scored>;

/**
 * Scores findings anew and writes those that get another score, with their audit entries. Doing it again changes nothing.
 * @param engines whose findings
 * @param meant which of them
 */
export async function rescoreFindings(
  services: EngineServices,
  tenantId: string,
  engines: readonly string[],
  meant: Filter,
  scoring: Scoring,
  signal: AbortSignal,
): Promise<void> {
  const rows = services.database.tenant(tenantId).engines(engines).collection(findings);
  for await (const batch of inBatches(rows.scan({ ...meant, status: { $in: SCORED } }, { fields: ['engine'], batchSize: BATCH })))
    for (const engine of new Set(batch.map((row) => row.engine))) {
      signal.throwIfAborted();
      const ids = batch.filter((row) => row.engine === engine).map(({ _id }) => _id);
      await rescoreBatch(services, tenantId, engine, ids, scoring);
    }
}

async function rescoreBatch(
  services: EngineServices,
  tenantId: string,
  engine: string,
  ids: readonly string[],
  scoring: Scoring,
): Promise<void> {
  const { database, clock, ingest } = services;
  const tenant = database.tenant(tenantId);
  await database.transaction(async (transaction) => {
    const rows = await tenant
      .engine(engine)
      .collection(findings)
      .find({ _id: { $in: ids } }, { fields: FIELDS, transaction });
    const uids = [...new Set(rows.map(({ resource_uid }) => resource_uid))];
    const contexts = await ingest.riskContextsOf(services, tenantId, uids, transaction);
    const dates = await DueDates.read(tenant, transaction);
    const updates = new FindingUpdates(engine, { actor_email: SYSTEM_ACTOR, result: 'success' });
    for (const row of rows) {
      const scores = scoring(row, contexts.get(row.resource_uid));
      if (!differs(row, scores)) continue;
      updates.set(row, { ...scores, ...dates.change({ ...row, ...scores }), version: row.version + 1 });
      updates.moves.add(row.finding_id, { action: 'finding.rescore', from: null, to: null });
    }
    await updates.write(services, getAuditLog(services), tenantId, clock.now(), transaction);
  });
}

const differs = (row: Scored, scores: Partial<Scored>): boolean =>
  (Object.keys(scores) as (keyof Scored)[]).some((name) => scores[name] !== row[name]);
