import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../kit/base/config.js';
import { createLogger } from '../../kit/base/logger.js';
import { runAll } from '../../processes/run.js';
import { startProcess, type TestProcess } from './process.js';
import { required } from './required.js';
import { atServers, openWorld, type ServersWorld, type WorldServer } from './world.js';

/** Servers of a test file's own, with settings that no shared server has, over one database of their own in the shared store. */
export interface OwnWorld<Server extends WorldServer = WorldServer> extends ServersWorld<Server> {
  /** That of its database. */
  readonly name: string;
  /** Starts one more server of the same settings. */
  start(): Promise<Server>;
}

/** A server that can be ended. */
interface Ended extends WorldServer {
  end(signal: 'SIGTERM'): Promise<unknown>;
}

/** How many servers there are over the one store, and their settings beside those of the shared server. */
interface Options {
  env?: Record<string, string>;
  servers?: number;
  /** Of a store of the test's own; the one that test files share when absent. */
  store?: string;
}

/** Servers in the process of the test file, whose modules are loaded already: all that a process of its own does, but for its start and its end. */
export const openOwnWorld = (options: Options = {}): Promise<OwnWorld> => openWorldOver(serveHere, options);

/** Servers that are processes of their own, for tests that kill one. */
export const openProcesses = (options: Options = {}): Promise<OwnWorld<TestProcess>> =>
  openWorldOver((env) => startProcess(['--empty'], env), options);

async function serveHere(env: Record<string, string>): Promise<Ended> {
  const lines: string[] = [];
  const config = loadConfig({ PORT: '0', ...env }, ['--empty']);
  const running = await runAll(config, createLogger(config.LOG_LEVEL, { write: (line) => void lines.push(line) }));
  return { url: running.url!, output: () => lines.join(''), end: () => running.close() };
}

async function openWorldOver<Server extends Ended>(
  serve: (env: Record<string, string>) => Promise<Server>,
  options: Options,
): Promise<OwnWorld<Server>> {
  const name = `own_${randomUUID().slice(0, 8)}`;
  const { store = required('PALISADE_TEST_MONGODB_URI') } = options;
  const env = {
    MONGODB_URI: store,
    MONGODB_DB: name,
    PALISADE_SECRET: required('PALISADE_TEST_SECRET'),
    OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-test-')),
    DNS_SERVERS: '127.0.0.1:9',
    // what rules raise findings of is asked in tests of its own
    RULE_PROFILE: 'all',
    RATE_LIMITS: 'growth=1000000/1000000,address=1000000/1000000',
    LOG_LEVEL: 'error',
    // how busy the machine is must not fail a test
    ENGINE_TIMEOUT_MS: '300000',
    FAN_OUT_TIMEOUT_MS: '60000',
    ...options.env,
  };
  const servers: Server[] = [];
  const start = async () => {
    const server = await serve(env);
    servers.push(server);
    return server;
  };
  for (let count = options.servers ?? 1; count > 0; count--) await start();
  const world = await openWorld(name, servers[0]!.url, store);
  return {
    ...world,
    name,
    servers,
    start,
    at: atServers(servers),
    async close() {
      await Promise.all(servers.map((server) => server.end('SIGTERM')));
      await world.database.drop();
      await world.close();
    },
  };
}
