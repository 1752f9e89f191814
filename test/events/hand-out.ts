import { createLocalCaller } from '../../gateway/transports/local.js';
import { openThreads } from '../../processes/threads.js';
import { systemClock, type Clock } from '../../kit/base/clock.js';
import { loadConfig } from '../../kit/base/config.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { queryRequirements } from '../../kit/engine/engine.js';
import { createIngestTargets } from '../../kit/findings/ingest-targets.js';
import { JobQueue } from '../../kit/work/jobs.js';
import { createLogger } from '../../kit/base/logger.js';
import { createMailer } from '../../kit/work/mail.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { createFolderObjectStore } from '../../kit/store/object-store.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { outbox } from '../../kit/work/outbox.js';
import { engines } from '../../subgraphs/index.js';
import { until } from '../support/stand-in.js';
import type { World } from '../support/world.js';

/** The services of a process over the world's database, in this process. */
export function servicesOf({ database }: Pick<World, 'database'>, env: Record<string, string>, clock: Clock = systemClock): EngineServices {
  const config = loadConfig(env, ['--memory']);
  const logger = createLogger('silent');
  const caller = createLocalCaller({ engines, services: () => services, logger, timeoutMs: 20_000 });
  const services: EngineServices = {
    config,
    clock,
    storeClock: clock,
    logger,
    database,
    masterKey: openMasterKey({ PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'], dataDir: null }),
    objects: createFolderObjectStore('/dev/null'),
    jobs: new JobQueue(database, clock),
    mailer: createMailer(config),
    outbound: createOutbound(config.OUTBOUND_ALLOW),
    ingest: createIngestTargets(engines),
    findingEngines: engines.flatMap(({ findings }) => findings ?? []),
    queryRequirements: new Map(engines.map((engine) => [engine.name, queryRequirements(engine)])),
    collections: engines.flatMap(({ collections }) => collections),
    retention: engines.flatMap(({ retention }) => retention),
    caller,
    threads: openThreads(),
  };
  return services;
}

/** Waits until the dispatcher has handed out what happened in a tenant. */
export async function handOut({ database }: EngineServices, tenantId: string): Promise<void> {
  await until('an empty outbox', async () => (await database.tenant(tenantId).collection(outbox).count({})) === 0);
}
