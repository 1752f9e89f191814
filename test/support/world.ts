import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AUTH_COLLECTIONS, createAuth, type Auth } from '../../sign-in/index.js';
import type { Role } from '../../schema/permissions.js';
import { systemClock } from '../../kit/base/clock.js';
import { Database } from '../../kit/store/database.js';
import { JobQueue } from '../../kit/work/jobs.js';
import { createLogger } from '../../kit/base/logger.js';
import { createMailer } from '../../kit/work/mail.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { organizations, tenants, type TenantRow, type UserRow } from '../../accounts/records.js';
import { addMembership, createOrganization, createTenant, createUser } from '../../accounts/seed.js';
import type { TestProcess } from './process.js';
import { askDeployments } from './ask-deployments.js';
import { required } from './required.js';

/** What the server answered, read as JSON where it is. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
  text: string;
}

interface RequestOptions {
  method?: string;
  body?: unknown;
  /** Sent as it is, with its content type in `headers`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
}

/** A caller over HTTP, with or without a session. */
export class Client {
  constructor(
    readonly base: string,
    readonly cookie: string | null,
    readonly user: UserRow | null,
  ) {}

  async call<Body = Record<string, unknown>>(
    path: string,
    { method, body, raw, headers = {} }: RequestOptions = {},
  ): Promise<Answer<Body>> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const sent = {
      ...(this.cookie && { cookie: this.cookie }),
      ...(payload !== undefined && { 'content-type': raw === undefined ? 'application/json' : 'application/octet-stream' }),
      ...headers,
    };
    const response = await fetch(`${this.base}${path}`, {
      method: method ?? (payload === undefined ? 'GET' : 'POST'),
      body: payload as BodyInit | undefined,
      headers: sent,
      redirect: 'manual',
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, text, body: (json ? JSON.parse(text) : {}) as Body };
  }

  /** The same caller with the session that an answer has set. */
  withCookieOf({ headers }: Pick<Answer<unknown>, 'headers'>): Client {
    return new Client(this.base, headers.get('set-cookie')?.split(';', 1)[0] ?? null, this.user);
  }

  async graphql<Data = Record<string, never>>(
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<{ status: number; data?: Data; errors?: { message: string; extensions: { code: string } }[] }> {
    const { status, body } = await this.call<{ data?: Data; errors?: { message: string; extensions: { code: string } }[] }>('/graphql', {
      body: { query, variables },
    });
    return { status, ...body };
  }

  /** Imports a report and waits until its run is final. */
  async import(report: unknown, query: Record<string, string> = {}): Promise<ImportedRun> {
    const raw = typeof report === 'string' || report instanceof Uint8Array ? report : JSON.stringify(report);
    const { status, body, text } = await this.call<ImportedRun>(`/api/v1/scans/imports?${new URLSearchParams(query).toString()}`, { raw });
    if (status !== 202) throw new Error(`import: ${status} ${text}`);
    return this.finished(body.scan_run_id);
  }

  async finished(scanRunId: string): Promise<ImportedRun> {
    // many files ask one server: each asks less often the longer it has waited
    let pause = 20;
    for (const until = Date.now() + 500_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, pause))) {
      pause = Math.min(pause * 2, 500);
      const { body } = await this.call<ImportedRun>(`/api/v1/scan-runs/${scanRunId}`);
      if (!['QUEUED', 'RUNNING', 'CANCELLING'].includes(body.state)) return body;
    }
    throw new Error(`the run ${scanRunId} did not end`);
  }
}

export interface ImportedRun {
  scan_run_id: string;
  state: string;
  format: string;
  counts: { records: number; skipped: number; new: number; updated: number; resolved: number; regressed: number };
  errors: { position: string; reason: string }[];
  total_findings: number;
}

/** A tenant of its own on the shared server. */
export interface TestTenant {
  readonly tenant: TenantRow;
  /** A signed-in user of the role; the same one for the same role. A platform_admin makes the organization the operator's. */
  as(role: Role): Promise<Client>;
}

/** The shared server and the store under it. */
export interface World {
  readonly url: string;
  readonly database: Database;
  readonly auth: Auth;
  readonly anonymous: Client;
  /** Makes an organization with one tenant, of the growth plan, whose limits the test server lifts. */
  tenant(organizationId?: string): Promise<TestTenant>;
  /** A tenant that there is. */
  existing(tenantId: string): Promise<TestTenant>;
  close(): Promise<void>;
}

/** Opens the shared server for one test file. @param given a database beside it, the server over that one where there is one, and its store where it is another */
export async function openWorld(given?: string, server?: string, store = required('PALISADE_TEST_MONGODB_URI')): Promise<World> {
  const { name, url } = given === undefined ? await sharedServer() : { name: given, url: server ?? '' };
  const database = await Database.open(store, name, AUTH_COLLECTIONS);
  const masterKey = openMasterKey({ PALISADE_SECRET: required('PALISADE_TEST_SECRET'), dataDir: null });
  const auth = await createAuth({
    config: {},
    database,
    masterKey,
    clock: systemClock,
    jobs: new JobQueue(database, systemClock),
    mailer: createMailer({ MAIL_FROM: 'palisade@test.example' }),
    outbound: createOutbound(),
    logger: createLogger('silent'),
  });
  const target = { database, clock: systemClock, masterKey };
  const signIn = (tenant: TenantRow) => async (role: Role) => {
    // a platform_admin acts at home; in a customer's tenant it takes a support access
    if (role === 'platform_admin')
      await database.system(organizations).update({ _id: tenant.organization_id }, { $set: { operator: true } });
    const id = `${role}-${randomUUID().slice(0, 8)}`;
    const user = await createUser(target, {
      email: `${id}@test.example`,
      name: role,
      password_hash: null,
      organization_id: tenant.organization_id,
    });
    const membership = await addMembership(target, { tenant_id: tenant._id, user, role });
    const session = await auth.parts.sessions.create({
      user_id: user._id,
      tenant_id: tenant._id,
      membership_id: membership._id,
      method: 'password',
      second_factor: true,
      ip_address: '127.0.0.1',
      user_agent: 'jest',
    });
    const token = await auth.parts.tokens.issue({ session_id: session._id, user_id: user._id, tenant_id: tenant._id });
    return new Client(url, `access_token=${token}`, user);
  };
  const testTenant = (tenant: TenantRow): TestTenant => {
    const clients = new Map<Role, Promise<Client>>();
    const make = signIn(tenant);
    return {
      tenant,
      as(role) {
        const known = clients.get(role) ?? make(role);
        clients.set(role, known);
        return known;
      },
    };
  };
  return {
    url,
    database,
    auth,
    anonymous: new Client(url, null, null),
    async tenant(organizationId) {
      const organization_id = organizationId ?? (await createOrganization(target, { name: 'Test' }))._id;
      return testTenant(await createTenant(target, { organization_id, name: 'Test', plan: 'growth' }));
    },
    async existing(tenantId) {
      return testTenant((await database.system(tenants).findOne({ _id: tenantId }))!);
    },
    close: () => database.close(),
  };
}

/** What test/support/deployments.cjs answers of servers that files share. */
interface Deployment {
  database: string;
  servers: { url: string; log: string }[];
}

async function sharedServer(): Promise<{ name: string; url: string }> {
  const { database, servers } = await askDeployments<Deployment>('shared');
  return { name: database, url: servers[0]!.url };
}

/** A server, and what it printed so far. */
export type WorldServer = Pick<TestProcess, 'url' | 'output'>;

/** A world of several servers over one database. */
export interface ServersWorld<Server extends WorldServer = WorldServer> extends World {
  readonly servers: readonly Server[];
  /** The same caller at another of the servers. */
  at(client: Client, server: number): Client;
}

export const atServers =
  (servers: readonly WorldServer[]) =>
  (client: Client, server: number): Client =>
    new Client(servers[server]!.url, client.cookie, client.user);

/** Opens two gateways that test files share, for one of them: `pair` may call what listens on this machine, `proxied` stands behind a proxy that speaks TLS. */
export async function openServers(name: 'pair' | 'proxied'): Promise<ServersWorld> {
  const { database, servers: started } = await askDeployments<Deployment>(name);
  const servers = started.map(({ url, log }) => ({ url, output: () => readFileSync(log, 'utf8') }));
  return { ...(await openWorld(database, servers[0]!.url)), servers, at: atServers(servers) };
}
