import { countRun } from '../../kit/findings/run-counts.js';
import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Observation } from '../../schema/observations.js';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import { systemClock } from '../../kit/base/clock.js';
import { Database } from '../../kit/store/database.js';
import type { FindingFacts } from '../../kit/engine/finding-facts.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { FEED_COLLECTIONS } from '../../kit/findings/feed/records.js';
import { findings } from '../../kit/findings/row.js';
import { otherSources } from '../../kit/findings/other-sources.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { FindingStore } from '../../kit/findings/store.js';
import { outbox } from '../../kit/work/outbox.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { engines } from '../../subgraphs/index.js';
import { storeServices } from '../support/store-services.js';
import type { Client, ImportedRun } from '../support/world.js';
import type { Sample } from './feeds.js';

/**
 * Gives an engine that no report format feeds yet its findings, as the pipeline's last step does: ingest, then close what
 * was not seen. So a new engine is under contract from the day it is listed.
 */
export async function feedDirectly(
  client: Client,
  segment: string,
  samples: readonly Sample[],
  source: string,
  scanRunId: string = randomUUID(),
): Promise<ImportedRun> {
  const facts = engines.find(({ findings }) => findings?.viewSegment === segment)!.findings!;
  const definitions = [...FEED_COLLECTIONS, findings, otherSources, findingCounters, findingTexts, auditLog, auditHeads, outbox];
  const database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, process.env['PALISADE_TEST_DB']!, definitions);
  try {
    const masterKey = openMasterKey({ PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'], dataDir: null });
    const { tenant_id } = (await client.call<{ tenant_id: string }>('/api/v1/users/me')).body;
    const store = new FindingStore(storeServices(database), new AuditLog(database, masterKey), facts, tenant_id);
    const run = { scan_run_id: scanRunId, at: systemClock.now(), format: source };
    await store.ingest(
      run,
      samples.map((sample) => store.prepare(run, observationOf(facts, sample))),
    );
    for (const account_id of new Set(samples.map(({ account }) => account)))
      await store.closeUnseen(run, { source, account_id, artifact: null });
    const { seen, ...done } = await countRun(database.tenant(tenant_id), [facts.engine], run.scan_run_id);
    const counts = { records: samples.length, skipped: 0, ...done };
    return { scan_run_id: scanRunId, state: 'COMPLETED', format: source, counts, errors: [], total_findings: seen };
  } finally {
    await database.close();
  }
}

/** Something for every field that the engine's evidence names. */
function evidenceOf({ evidence }: FindingFacts): Record<string, unknown> {
  const { shape } = evidence as unknown as { shape: Record<string, z.ZodType> };
  const fitting = (field: z.ZodType) => ['text', 7, ['text']].find((value) => field.safeParse(value).success);
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, fitting(field)]));
}

const observationOf = (facts: FindingFacts, sample: Sample): Observation => ({
  engine: facts.engine,
  result: 'FAIL',
  rule_id: sample.rule,
  title: sample.title,
  severity: sample.severity,
  resource_uid: sample.resource,
  resource_type: sample.type,
  resource_name: sample.name,
  provider: sample.provider,
  account_id: sample.account ?? undefined,
  region: sample.region,
  evidence: evidenceOf(facts),
  position: sample.rule,
});
