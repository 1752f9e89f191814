import { createLocalCaller } from '../../gateway/transports/local.js';
import { auditLog } from '../../subgraphs/_kit/audit.js';
import { systemClock, type Clock } from '../../subgraphs/_kit/clock.js';
import { loadConfig } from '../../subgraphs/_kit/config.js';
import type { EngineServices } from '../../subgraphs/_kit/context.js';
import { createIngestTargets } from '../../subgraphs/_kit/ingest.js';
import { JobQueue } from '../../subgraphs/_kit/jobs.js';
import { createLogger } from '../../subgraphs/_kit/logger.js';
import { createMailer } from '../../subgraphs/_kit/mail.js';
import { openMasterKey } from '../../subgraphs/_kit/master-key.js';
import { createFolderObjectStore } from '../../subgraphs/_kit/object-store.js';
import { createOutbound } from '../../subgraphs/_kit/outbound.js';
import type { EventConsumer } from '../../subgraphs/events/outbox/consumer.js';
import { engines } from '../../subgraphs/index.js';
import type { World } from '../support/world.js';

/** The services of a process over the world's database, in this process. */
export function servicesOf({ database }: Pick<World, 'database'>, env: Record<string, string>, clock: Clock = systemClock): EngineServices {
  const config = loadConfig(env, ['--memory']);
  const logger = createLogger('silent');
  const caller = createLocalCaller({ engines, services: () => services, logger, timeoutMs: 20_000 });
  const services: EngineServices = {
    config,
    clock,
    logger,
    database,
    masterKey: openMasterKey({ PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'], dataDir: null }),
    objects: createFolderObjectStore('/dev/null'),
    jobs: new JobQueue(database, clock),
    mailer: createMailer(config),
    outbound: createOutbound(config.OUTBOUND_ALLOW),
    ingest: createIngestTargets(engines),
    findingEngines: engines.flatMap(({ findings }) => findings ?? []),
    caller,
  };
  return services;
}

const handed = new Map<string, number>();

/** Hands the entries of a tenant's audit log that are new since the last time to `consumers`, as the dispatcher does. */
export async function handOut(services: EngineServices, consumers: readonly EventConsumer[], tenantId: string): Promise<void> {
  const after = handed.get(tenantId) ?? 0;
  const entries = await services.database
    .tenant(tenantId)
    .collection(auditLog)
    .find({ seq: { $gt: after } }, { sort: { seq: 1 } });
  if (entries.length === 0) return;
  handed.set(tenantId, entries.at(-1)!.seq);
  for (let start = 0; start < entries.length; start += 500) {
    const writes = await Promise.all(consumers.map((consumer) => consumer.prepare(services, tenantId, entries.slice(start, start + 500))));
    await services.database.transaction(async (transaction) => {
      for (const write of writes) await write?.(transaction);
    });
  }
}
