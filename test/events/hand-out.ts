import { createLocalCaller } from '../../gateway/transports/local.js';
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
import { outbox } from '../../subgraphs/_kit/outbox.js';
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

/** Waits until the dispatcher has handed out what happened in a tenant. */
export async function handOut({ database }: EngineServices, tenantId: string): Promise<void> {
  await until('an empty outbox', async () => (await database.tenant(tenantId).collection(outbox).count({})) === 0);
}
