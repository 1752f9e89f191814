import { randomUUID } from 'node:crypto';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import { fixedClock } from '../../kit/base/clock.js';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { FEED_COLLECTIONS } from '../../kit/findings/feed/records.js';
import { otherSources } from '../../kit/findings/other-sources.js';
import { findings } from '../../kit/findings/row.js';
import { slaPolicies } from '../../kit/findings/sla/records.js';
import { FindingStore } from '../../kit/findings/store.js';
import { suppressions } from '../../kit/findings/suppressions/records.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { triageRules } from '../../kit/findings/triage-rules/records.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { Database } from '../../kit/store/database.js';
import { outbox } from '../../kit/work/outbox.js';
import type { Observation } from '../../schema/observations.js';
import type { Role } from '../../schema/permissions.js';
import { engines } from '../../subgraphs/index.js';
import { authOf } from '../gateway/support-engines.js';

const START = '2026-02-10T12:00:00.000Z';
const masterKey = openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null });
export const factsOf = (name: string) => engines.find((engine) => engine.name === name)!.findings!;

/** A database of a file's own with what findings are stored in. */
export function openFindings(): Promise<Database> {
  const rows = [findings, otherSources, findingCounters, findingTexts, suppressions, slaPolicies, triageRules];
  const definitions = [...FEED_COLLECTIONS, ...rows, auditLog, auditHeads, outbox];
  return Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `own_${randomUUID().slice(0, 8)}`, definitions);
}

/** A tenant of its own with members, and what runs do to its findings, in this process. */
export function findingsEstate(database: Database, members: ReadonlyMap<string, Role> = new Map()) {
  const tenant_id = randomUUID();
  const clock = fixedClock(START);
  const services = {
    ...{ database, clock, storeClock: clock, masterKey, config: loadConfig({ RULE_PROFILE: 'all' }), logger: createLogger('silent') },
    findingEngines: ['check', 'encryption', 'threat'].map(factsOf),
    ingest: {
      openFindings: () => Promise.resolve(),
      tagsOf: () => Promise.resolve(new Map()),
      riskContextsOf: () => Promise.resolve(new Map()),
      membersOf: () => Promise.resolve(members),
    },
  } as unknown as EngineServices;
  const contextOf = (role: Role, engine = 'findings', more: Parameters<typeof authOf>[1] = {}) =>
    createEngineContext(services, engine, authOf(role, { tenant_id, ...more }), new AbortController().signal);
  const store = (engine: string) => new FindingStore(services, new AuditLog(database, masterKey), factsOf(engine), tenant_id);
  const observation = {
    result: 'FAIL',
    rule_id: 'a-rule',
    title: 'A rule',
    resource_type: 'host',
    provider: 'aws',
    account_id: '1',
    region: 'eu',
  } as const;
  /** A run that sees all that there is. @returns ids */
  const report = async (
    engine: string,
    run: string,
    seen: readonly (Pick<Observation, 'resource_uid' | 'severity'> & Partial<Observation>)[],
  ) => {
    const its = { scan_run_id: run, at: clock.now(), format: 'scanner' };
    const prepared = seen.map((one) =>
      store(engine).prepare(its, { ...observation, engine, evidence: {}, position: '0', source: 'scanner', ...one }),
    );
    await store(engine).ingest(its, prepared);
    await store(engine).closeUnseen(its, { source: 'scanner', account_id: '1', artifact: null });
    return prepared.map(({ id }) => id);
  };
  const rowsOf = (engine: string) => database.tenant(tenant_id).engine(engine).collection(findings);
  return { tenant_id, clock, services, contextOf, report, rowsOf };
}
