import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Role } from '../schema/permissions.js';
import { createAuth } from '../sign-in/index.js';
import { loadConfig } from '../kit/base/config.js';
import { createLogger } from '../kit/base/logger.js';
import { addMembership, createOrganization, createTenant, createUser } from '../accounts/seed.js';
import { openServices, type Opened, type Overrides } from '../processes/services.js';

const SECRET = 'the master secret of the benchmark deployment';
const script = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** A child process of the benchmark, and what it said when it was ready. */
export interface Started {
  readonly ready: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a built script and waits for a line that matches `ready`. */
export async function start(name: string, args: readonly string[], env: Record<string, string>, ready: RegExp): Promise<Started> {
  const child: ChildProcess = spawn(process.execPath, [script(name), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = await new Promise<string>((resolve, reject) => {
    void ended.then(([code]) => reject(new Error(`${name} ended with ${String(code)}`)));
    createInterface({ input: child.stdout! }).on('line', (text) => {
      const match = ready.exec(text);
      if (match) resolve(match[0]);
    });
  });
  return {
    ready: line,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** A store of its own process, so that what is compared shares it: the embedded one, or the server that MONGODB_URI names. */
export interface BenchStore {
  readonly name: string;
  readonly uri: string;
  /** Of its process, where that is ours. */
  readonly pid: number | null;
  stop(): Promise<void>;
}

/** The embedded store, and beside it the MongoDB-compatible server when MONGODB_URI names one. */
export async function* stores(): AsyncGenerator<BenchStore> {
  const embedded = await start('embedded/serve.js', [], {}, /mongodb:\S+/);
  yield { name: 'embedded store', uri: embedded.ready, pid: embedded.pid, stop: () => embedded.stop() };
  await embedded.stop();
  const uri = process.env['MONGODB_URI'];
  if (uri) yield { name: 'MongoDB-compatible server', uri, pid: null, stop: async () => {} };
}

/** Palisade over a store: a database of its own, one tenant, one who is signed in. */
export interface Deployment {
  readonly env: Record<string, string>;
  readonly opened: Opened;
  readonly tenantId: string;
  readonly cookie: string;
  /** Drops the database. */
  close(): Promise<void>;
}

/** @param settings environment beside the usual @param role of the one who is signed in */
export async function deploy(
  uri: string,
  settings: Record<string, string> = {},
  overrides: Overrides = {},
  role: Role = 'analyst',
): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
  const env = {
    MONGODB_URI: uri,
    MONGODB_DB: `bench_${randomUUID().slice(0, 8)}`,
    PALISADE_SECRET: SECRET,
    OBJECT_DIR: folder,
    RATE_LIMITS: 'enterprise=100000000/100000000',
    MAX_IMPORT_MB: '2048',
    ...settings,
  };
  const opened = await openServices(loadConfig(env), createLogger('error'), overrides);
  const { services } = opened;
  const { tenantId, cookie } = await signIn(opened, role);
  const close = async () => {
    await services.database.drop();
    await opened.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { env, opened, tenantId, cookie, close };
}

/** Makes a tenant with one user of the role, and signs the user in. */
export async function signIn({ services }: Opened, role: Role): Promise<{ tenantId: string; cookie: string }> {
  const organization = await createOrganization(services, { name: 'Bench' });
  const tenant = await createTenant(services, { organization_id: organization._id, name: 'Bench', plan: 'enterprise' });
  const user = await createUser(services, {
    email: `${randomUUID().slice(0, 8)}@bench.example`,
    name: 'Bench',
    password_hash: null,
    organization_id: organization._id,
  });
  const membership = await addMembership(services, { tenant_id: tenant._id, user, role });
  const { parts } = await createAuth({ ...services, config: {} });
  const session = await parts.sessions.create({
    user_id: user._id,
    tenant_id: tenant._id,
    membership_id: membership._id,
    method: 'password',
    second_factor: false,
    ip_address: '127.0.0.1',
    user_agent: 'bench',
  });
  const token = await parts.tokens.issue({ session_id: session._id, user_id: user._id, tenant_id: tenant._id });
  return { tenantId: tenant._id, cookie: `access_token=${token}` };
}

/** Starts a Palisade server over a deployment; resolves with its URL. */
export const startServer = ({ env }: Deployment): Promise<Started> =>
  start('main.js', ['--empty'], { ...env, PORT: '0' }, /http:\/\/[\d.:]+/);
