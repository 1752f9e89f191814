import type { EngineServices } from '../../engine/context.js';
import { getAuditLog } from '../../engine/create-context.js';
import type { FindingFacts } from '../../engine/finding-facts.js';
import { inBatches } from '../../engine/retention.js';
import { SYSTEM_ACTOR } from '../../base/auth-context.js';
import { FindingUpdates } from '../finding-updates.js';
import { MERGE_FIELDS } from '../merge.js';
import { findings } from '../row.js';
import { DueDates } from '../sla/due-dates.js';
import { intelligenceOf, scoredBy, scoresOf, type CveIntelligence, type Scored } from './intelligence.js';
import { findingCves, type FindingCveRow } from './records.js';

/** CVEs looked at a time, and findings of one transaction. */
const PAGE = 200;
const BATCH = 500;
/** What is RESOLVED is scored by the run that finds it again. */
const SCORED = ['OPEN', 'IN_PROGRESS', 'SUPPRESSED', 'FALSE_POSITIVE'] as const;
const FIELDS = [...MERGE_FIELDS, 'severity_rank', 'cvss', 'reported'] as const;

type Known = ReadonlyMap<string, CveIntelligence>;

/**
 * Scores the findings of the next CVEs of a tenant by what feeds know now, where it is another than they were scored by. Doing it again
 * changes nothing.
 * @param position the last row of a CVE that is done; empty at the beginning
 * @returns the position behind; null at the end
 */
export async function rescorePage(
  services: EngineServices,
  tenantId: string,
  engines: readonly FindingFacts[],
  position: string,
  signal: AbortSignal,
): Promise<string | null> {
  const rest = engines.filter(({ engine }) => `${tenantId}|${engine}|\u{10ffff}` > position);
  for (const facts of rest) {
    const rows = services.database.tenant(tenantId).engine(facts.engine).collection(findingCves);
    const page = await rows.find({ _id: { $gt: position } }, { sort: { _id: 1 }, limit: PAGE, fields: ['cve', 'rule_ids', 'scored_by'] });
    const last = page.at(-1);
    if (!last) continue;
    const known = await intelligenceOf(
      services.database,
      page.map(({ cve }) => cve),
    );
    const changed = page.filter(({ cve, scored_by }) => scored_by !== scoredBy(known.get(cve)));
    if (changed.length > 0) await rescoreFindings(services, tenantId, facts, changed, known, signal);
    return last._id;
  }
  return null;
}

async function rescoreFindings(
  services: EngineServices,
  tenantId: string,
  { engine }: FindingFacts,
  cves: readonly Pick<FindingCveRow, '_id' | 'cve' | 'rule_ids'>[],
  known: Known,
  signal: AbortSignal,
): Promise<void> {
  const database = services.database.tenant(tenantId).engine(engine);
  const rows = database.collection(findings);
  const meant = { rule_id: { $in: cves.flatMap(({ rule_ids }) => rule_ids) }, status: { $in: SCORED } };
  for await (const batch of inBatches(rows.scan(meant, { fields: [...FIELDS], batchSize: BATCH }))) {
    signal.throwIfAborted();
    const wrong = batch.filter((row) => differs(row, scoresOf(row, known.get(row.cve ?? '')))).map(({ _id }) => _id);
    if (wrong.length > 0) await write(services, tenantId, engine, wrong, known);
  }
  await database
    .collection(findingCves)
    .bulkUpdate(cves.map(({ _id, cve }) => ({ _id, update: { $set: { scored_by: scoredBy(known.get(cve)) } } })));
}

const differs = (row: Scored, scores: Scored | null): scores is Scored =>
  scores !== null && (Object.keys(scores) as (keyof Scored)[]).some((name) => scores[name] !== row[name]);

async function write(services: EngineServices, tenantId: string, engine: string, ids: readonly string[], known: Known): Promise<void> {
  const { database, clock } = services;
  const tenant = database.tenant(tenantId);
  await database.transaction(async (transaction) => {
    const rows = await tenant
      .engine(engine)
      .collection(findings)
      .find({ _id: { $in: ids } }, { fields: FIELDS, transaction });
    const dates = await DueDates.read(tenant, transaction);
    const updates = new FindingUpdates(engine, { actor_email: SYSTEM_ACTOR, result: 'success' });
    for (const row of rows) {
      const scores = scoresOf(row, known.get(row.cve ?? ''));
      if (!differs(row, scores)) continue;
      updates.set(row, { ...scores, ...dates.change({ ...row, ...scores }), version: row.version + 1 });
      updates.moves.add(row.finding_id, { action: 'finding.rescore', from: null, to: null });
    }
    await updates.write(services, getAuditLog(services), tenantId, clock.now(), transaction);
  });
}
