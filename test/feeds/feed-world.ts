import { randomUUID } from 'node:crypto';
import { AuditLog, auditHeads, auditLog } from '../../kit/audit/audit.js';
import { fixedClock } from '../../kit/base/clock.js';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { FindingStore } from '../../kit/findings/store.js';
import { findings } from '../../kit/findings/row.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import type { AnyCollection } from '../../kit/store/collection.js';
import { Database } from '../../kit/store/database.js';
import { takeDue } from '../../kit/work/due.js';
import { outbox } from '../../kit/work/outbox.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { suppressions } from '../../kit/findings/suppressions/records.js';
import { slaPolicies } from '../../kit/findings/sla/records.js';
import type { Observation } from '../../schema/observations.js';
import { vulnerabilityRescores } from '../../feeds/records.js';
import { rescoreWork } from '../../feeds/rescore.js';
import { bufferSource } from '../../importers/readers/source.js';
import { loadFeed } from '../../feeds/load.js';
import type { FeedKind } from '../../feeds/kinds.js';
import { engines } from '../../subgraphs/index.js';

export const ENGINE = 'vulnerability';
const engine = engines.find(({ name }) => name === ENGINE)!;
const masterKey = openMasterKey({ PALISADE_SECRET: 'x'.repeat(40), dataDir: null });

/** A database of its own with the collections of vulnerabilities and feeds. */
export function openFeedDatabase(more: readonly AnyCollection[] = []): Promise<Database> {
  const definitions = [...more, ...engine.collections, findings, suppressions, slaPolicies, auditLog, auditHeads, outbox, tenantEnds];
  return Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `feeds_${randomUUID().slice(0, 8)}`, definitions);
}

export type Reported = Pick<Observation, 'rule_id' | 'resource_uid' | 'severity'> & Partial<Observation>;

/** A tenant with the vulnerabilities that runs report, and feeds beside it. */
export function feedWorld(database: Database) {
  const tenant_id = randomUUID();
  const clock = fixedClock('2026-02-10T12:00:00.000Z');
  const services = {
    database,
    clock,
    storeClock: clock,
    masterKey,
    config: loadConfig({}),
    logger: createLogger('silent'),
    findingEngines: [engine.findings!],
    ingest: {
      openFindings: () => Promise.resolve(),
      tagsOf: () => Promise.resolve(new Map()),
      riskContextsOf: () => Promise.resolve(new Map()),
    },
  } as unknown as EngineServices;
  const store = new FindingStore(services, new AuditLog(database, masterKey), engine.findings!, tenant_id);
  let runs = 0;
  return {
    tenant_id,
    clock,
    services,
    own: database.tenant(tenant_id).engine(ENGINE),
    /** A run that sees these, and closes what it does not see. */
    async report(seen: readonly Reported[]): Promise<void> {
      clock.advance(60_000);
      const run = { scan_run_id: `run-${++runs}`, at: clock.now(), format: 'scanner' };
      const whole = {
        engine: ENGINE,
        result: 'FAIL',
        title: 'It',
        resource_type: 'host',
        provider: 'aws',
        account_id: '1',
        region: 'eu',
      } as const;
      await store.ingest(
        run,
        seen.map((one) => store.prepare(run, { ...whole, evidence: {}, position: '0', ...one })),
      );
      await store.closeUnseen(run, { source: 'scanner', account_id: '1', artifact: null });
    },
    load: (kind: FeedKind, file: string | Uint8Array) => loadFeed(services, kind, bufferSource(Buffer.from(file))),
    /** Does what feeds have left to workers. */
    async workOff(): Promise<void> {
      const work = rescoreWork(services);
      for (;;) {
        const row = await takeDue({ database, storeClock: clock }, { ...work, where: { tenant_id } });
        if (!row) return;
        const { signal } = new AbortController();
        const outcome = await work.run({ row, signal, lost: signal, isHeld: () => true });
        const set = { due_at: outcome?.due_at ?? null, leased_by: null, leased_until: null, ...outcome?.set };
        await database.tenant(tenant_id).collection(vulnerabilityRescores).update({ _id: row._id }, { $set: set });
      }
    },
  };
}
