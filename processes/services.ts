import { AUTH_COLLECTIONS } from '../sign-in/index.js';
import { createLocalCaller, type LocalCaller } from '../gateway/transports/local.js';
import { systemClock, type Clock } from '../kit/base/clock.js';
import { periodicTasks } from '../kit/engine/background.js';
import type { AnyCollection } from '../kit/store/collection.js';
import type { Config } from '../kit/base/config.js';
import type { EngineServices } from '../kit/engine/context.js';
import { Database } from '../kit/store/database.js';
import { queryRequirements, type Engine } from '../kit/engine/engine.js';
import { hookMessages } from '../gateway/hooks.js';
import type { EngineCaller } from '../kit/engine/caller.js';
import { createIngestTargets } from '../kit/findings/ingest-targets.js';
import type { JobHandlers } from '../kit/engine/worker.js';
import { JobQueue } from '../kit/work/jobs.js';
import type { Logger } from '../kit/base/logger.js';
import { migrate, migrationRows } from '../kit/store/migration.js';
import { schemaRows } from '../kit/store/schema-epoch.js';
import { createMailer } from '../kit/work/mail.js';
import { openMasterKey } from '../kit/keys/master-key.js';
import { masterKeys, withFormerKeys } from '../kit/keys/master-key-records.js';
import { createFolderObjectStore } from '../kit/store/object-store.js';
import { createOutbound } from '../kit/outbound/outbound.js';
import { markEarlierAccounts } from '../accounts/earlier-accounts.js';
import { engines as listed } from '../subgraphs/index.js';
import { mongoRefusal } from './mongo-refusal.js';
import { migrations } from './migrations/index.js';
import { openStore, type Store } from './store.js';
import { openThreads } from './threads.js';

/** What every process opens first, whatever its part. */
export interface Opened {
  readonly config: Config;
  readonly store: Store;
  readonly engines: readonly Engine[];
  readonly services: EngineServices;
  /** The engines that run in this process. */
  readonly local: LocalCaller;
  close(): Promise<void>;
}

/** What a process may bring instead of the usual; for tests. */
export interface Overrides {
  /** Stands for the store's time, too. */
  clock?: Clock;
  engines?: readonly Engine[];
  /** How the store is opened; `openStore` when absent. */
  open?: (config: Config) => Promise<Store>;
  /** Called with what a start is doing now, for whoever waits for it. */
  onStep?: (doing: string) => void;
}

/** Every collection of the deployment, each once. */
export function collectionsOf(engines: readonly Engine[]): AnyCollection[] {
  return [
    ...new Map(
      [
        ...AUTH_COLLECTIONS,
        periodicTasks,
        hookMessages,
        masterKeys,
        migrationRows,
        schemaRows,
        ...engines.flatMap((engine) => engine.collections),
      ].map((one) => [one.name, one]),
    ).values(),
  ];
}

/** The database of a store, under its master key. */
/** The job handlers of all engines. @throws when two engines claim one kind */
export function jobHandlersOf(engines: readonly Engine[]): JobHandlers {
  const handlers = new Map<string, { engine: string; handler: Engine['jobs'][string] }>();
  for (const { name, jobs } of engines) {
    for (const [kind, handler] of Object.entries(jobs)) {
      if (handlers.has(kind)) throw new Error(`engine ${name}: the job ${kind} belongs to ${handlers.get(kind)!.engine}`);
      handlers.set(kind, { engine: name, handler });
    }
  }
  return handlers;
}

/** Opens the database and brings it to the schema of this release. @throws SchemaTooNew when it belongs to a newer one, before anything is changed */
async function openDatabase(store: Store, config: Config, engines: readonly Engine[], given: Clock | undefined, logger: Logger) {
  const database = await Database.open(store.uri, config.MONGODB_DB, collectionsOf(engines), migrations.length);
  try {
    const storeClock = given ?? database.clock;
    await migrate(database, storeClock, logger, migrations);
    return { database, storeClock, masterKey: await withFormerKeys(database, openMasterKey(config)) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Opens the store and makes the services of this process.
 * @param remote how engines that do not run here are called, given the services' database and keys; none when absent
 */
export async function openServices(
  config: Config,
  logger: Logger,
  { clock, engines = listed, open = openStore, onStep }: Overrides = {},
  remote?: (partial: Omit<EngineServices, 'caller'>) => Promise<EngineCaller>,
): Promise<Opened> {
  const names = new Set(config.ENGINES ?? engines.map(({ name }) => name));
  const unknown = [...names].filter((name) => !engines.some((engine) => engine.name === name));
  if (unknown.length) throw new Error(`ENGINES names what is not in the list: ${unknown.join(', ')}`);
  onStep?.(config.MONGODB_URI ? 'connecting to MongoDB' : 'reading the data folder');
  const store = await open(config);
  const { database, storeClock, masterKey } = await openDatabase(store, config, engines, clock, logger).catch(async (error: unknown) => {
    await store.close();
    throw config.MONGODB_URI ? mongoRefusal(error) : error;
  });
  await markEarlierAccounts(database);
  const shared = {
    config,
    clock: clock ?? systemClock,
    storeClock,
    logger,
    database,
    masterKey,
    objects: createFolderObjectStore(store.objectFolder),
    jobs: new JobQueue(database, storeClock),
    mailer: createMailer(config),
    outbound: createOutbound(config.OUTBOUND_ALLOW),
    ingest: createIngestTargets(engines),
    findingEngines: engines.flatMap(({ findings }) => findings ?? []),
    queryRequirements: new Map(engines.map((engine) => [engine.name, queryRequirements(engine)])),
    collections: collectionsOf(engines),
    retention: engines.flatMap(({ retention }) => retention),
    threads: openThreads(),
  };
  const here = remote ? engines.filter(({ name }) => names.has(name)) : engines;
  const local = createLocalCaller({
    engines: here,
    listed: engines,
    services: () => services,
    logger,
    timeoutMs: config.ENGINE_TIMEOUT_MS,
  });
  const away = remote ? await remote(shared) : null;
  const caller: EngineCaller = {
    engines: engines.map(({ name }) => name),
    call: (call) => (local.engines.includes(call.engine) || !away ? local : away).call(call),
  };
  const services: EngineServices = { ...shared, caller };
  const close = async () => {
    await Promise.all(Object.values(shared.threads).map((pool) => pool.close()));
    shared.mailer.close();
    await shared.outbound.close();
    await database.close();
    await store.close();
  };
  return { config, store, engines, services, local, close };
}
