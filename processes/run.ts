import { once } from 'node:events';
import { createContextSigner, createContextVerifier } from '../gateway/auth-context-token.js';
import { createEnginesServer } from '../gateway/engines-server.js';
import { createHttpCaller } from '../gateway/transports/http.js';
import type { EngineCall } from '../kit/engine/caller.js';
import { startBackground } from '../kit/engine/background.js';
import { ConfigError, type Config } from '../kit/base/config.js';
import { Worker } from '../kit/engine/worker.js';
import { openKeyRing } from '../kit/keys/key-ring.js';
import type { Logger } from '../kit/base/logger.js';
import { engines as listed } from '../subgraphs/index.js';
import { Demo } from './demo.js';
import { createHttp } from './http.js';
import { assertCanListen, listen } from './listen.js';
import { jobHandlersOf, openServices, type Opened, type Overrides } from './services.js';
import type { Store } from './store.js';
import { createWorkerHealth } from './worker-health.js';

/** A process that runs. */
export interface Running {
  /** Where it listens; null for a worker without WORKER_HEALTH_PORT. */
  readonly url: string | null;
  readonly opened: Opened;
  /** Null where there is none. Its reports are on their way in. */
  readonly demo: Demo | null;
  /** Stops taking calls, lets those in flight end, puts back jobs, and closes the store. */
  close(): Promise<void>;
}

/** Milliseconds that calls in flight get when the process ends. */
const GRACE = 10_000;

interface Part {
  close(): Promise<void>;
}

/** Closes parts in order, each whatever the others do; the whole within its grace. */
async function closeAll(parts: readonly Part[], logger: Logger): Promise<void> {
  for (const part of parts) {
    const late = new Promise<void>((resolve) => setTimeout(resolve, GRACE).unref());
    await Promise.race([part.close(), late]).catch((error: unknown) => logger.error({ err: error }, 'a part did not close'));
  }
}

/** Everything in one process: the store, the engines, the worker and the gateway, and the demo at the first start. */
export async function runAll(config: Config, logger: Logger, overrides: Overrides = {}): Promise<Running> {
  await assertCanListen(config);
  const opened = await openServices(config, logger, overrides);
  const parts: Part[] = [startWork(opened), opened];
  try {
    overrides.onStep?.('composing the graph');
    // the accounts' password is hashed beside the composing
    const opening = config.empty ? null : Demo.open(opened.services);
    let demo: Demo | null = null;
    const [app] = await Promise.all([createHttp(opened, opened.services.caller, () => demo), opening]);
    parts.unshift({ close: () => app.close() });
    demo = await opening;
    if (demo) parts.unshift(demo);
    const url = await listen(app, config);
    void demo?.load();
    return { url, opened, demo, close: () => closeAll(parts, logger) };
  } catch (error) {
    await closeAll(parts, logger);
    throw error;
  }
}

/** Engines, served to gateways that sign what they send. Peers that run elsewhere are called at ENGINES_URL. */
export async function runEngines(config: Config, logger: Logger, overrides: Overrides = {}): Promise<Running> {
  assertShared(config);
  await assertCanListen(config);
  const opened = await openServices(config, logger, overrides, config.ENGINES_URL ? httpCaller(config, logger) : undefined);
  const { services, local } = opened;
  // gateways ask all engines at once, and count how long they take
  await local.prepare();
  const keyRing = await openKeyRing(services, 'auth-context');
  const runtimes = new Map([...local.runtimes].filter(([name]) => !config.ENGINES || config.ENGINES.includes(name)));
  const app = await createEnginesServer({
    runtimes,
    verifier: createContextVerifier(keyRing, services.clock),
    logger,
    timeoutMs: config.ENGINE_TIMEOUT_MS,
  });
  const url = await listen(app, config);
  return { url, opened, demo: null, close: () => closeAll([{ close: () => app.close() }, opened], logger) };
}

/** The gateway alone; the engines listen at ENGINES_URL. */
export async function runGateway(config: Config, logger: Logger, overrides: Overrides = {}): Promise<Running> {
  assertShared(config);
  if (!config.ENGINES_URL) throw new ConfigError('ENGINES_URL: a gateway process needs the address of the engines');
  await assertCanListen(config);
  const opened = await openServices(config, logger, overrides);
  const caller = await httpCaller(config, logger)(opened.services);
  const app = await createHttp(opened, caller);
  const url = await listen(app, config);
  return { url, opened, demo: null, close: () => closeAll([{ close: () => app.close() }, caller, opened], logger) };
}

/** Runs the jobs and the background tasks of all engines. */
export async function runWorker(config: Config, logger: Logger, overrides: Overrides = {}): Promise<Running> {
  assertShared(config);
  const opened = await openServices(config, logger, overrides);
  const parts: Part[] = [startWork(opened), opened];
  if (config.WORKER_HEALTH_PORT === undefined) return { url: null, opened, demo: null, close: () => closeAll(parts, logger) };
  const health = createWorkerHealth(() => opened.services.database.ping());
  parts.unshift({ close: () => health.close() });
  try {
    const url = await health.listen({ port: config.WORKER_HEALTH_PORT, host: config.HOST });
    return { url, opened, demo: null, close: () => closeAll(parts, logger) };
  } catch (error) {
    await closeAll(parts, logger);
    throw error;
  }
}

/** How much longer than a request, for which somebody waits, background work waits for an engine: a busy machine is no reason to begin again. */
const PATIENCE = 12;

/** Starts the jobs and the background tasks of all engines. */
function startWork({ services: given, engines, config }: Opened): Part {
  const timeoutMs = PATIENCE * config.ENGINE_TIMEOUT_MS;
  const services = {
    ...given,
    caller: { ...given.caller, call: <Data>(call: EngineCall) => given.caller.call<Data>({ timeoutMs, ...call }) },
  };
  const worker = new Worker(services, jobHandlersOf(engines), config.WORKER_CONCURRENCY);
  const tasks = startBackground(
    services,
    engines.flatMap(({ background }) => background),
  );
  return { close: async () => void (await Promise.all([worker.stop(), tasks.stop()])) };
}

/** @throws ConfigError when processes that belong together could not share a store or keys */
function assertShared({ MONGODB_URI, PALISADE_SECRET }: Config): void {
  const missing = [!MONGODB_URI && 'MONGODB_URI', !PALISADE_SECRET && 'PALISADE_SECRET'].filter(Boolean);
  if (missing.length) throw new ConfigError(`${missing.join(' and ')}: separate processes must share one store and one secret`);
}

const httpCaller = (config: Config, logger: Logger) => async (services: Parameters<typeof openKeyRing>[0]) =>
  createHttpCaller({
    baseUrl: config.ENGINES_URL!,
    engines: listed.map(({ name }) => name),
    signer: createContextSigner(await openKeyRing(services, 'auth-context'), services.clock),
    logger,
    timeoutMs: config.ENGINE_TIMEOUT_MS,
  });

/**
 * Resolves when the process is asked to end, or can go on no longer.
 * @returns the reason when its store has stopped by itself; null when it was asked
 */
export async function untilEnd({ stopped }: Pick<Store, 'stopped'>): Promise<Error | null> {
  const asked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => null);
  return stopped ? Promise.race([asked, stopped]) : asked;
}
