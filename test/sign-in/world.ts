import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify';
import { createAuth, AUTH_COLLECTIONS, type Auth } from '../../sign-in/index.js';
import { hashPassword } from '../../sign-in/password.js';
import { registerErrorHandlers } from '../../http/envelope.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import type { Role } from '../../schema/permissions.js';
import { auditHeads, auditLog } from '../../kit/audit/audit.js';
import { fixedClock } from '../../kit/base/clock.js';
import { Database } from '../../kit/store/database.js';
import { JobQueue } from '../../kit/work/jobs.js';
import { createLogger } from '../../kit/base/logger.js';
import { createMailer } from '../../kit/work/mail.js';
import { outbox } from '../../kit/work/outbox.js';
import { openMasterKey } from '../../kit/keys/master-key.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { organizations } from '../../accounts/records.js';
import { addMembership, createOrganization, createTenant, createUser } from '../../accounts/seed.js';

export const PASSWORD = 'correct horse battery staple';
export const SECRET = 'a secret of the tests, long enough';

interface EmbeddedStore {
  openEmbeddedStore(options: { dir: null }): Promise<{ uri: string; close(): Promise<void> }>;
}

/** The store's address: given by the environment, else an embedded store of this file's own. */
async function storeUri(): Promise<{ uri: string; close(): Promise<void> }> {
  const given = process.env['PALISADE_TEST_MONGODB_URI'];
  if (given) return { uri: given, close: async () => undefined };
  // Loaded only when needed, and by `require`: Jest runs these files as CommonJS.
  const { openEmbeddedStore } = require('../../embedded/index.js') as EmbeddedStore;
  return openEmbeddedStore({ dir: null });
}

/** An empty database of its own, with the collections of sign-in. */
export async function openTestDatabase() {
  const store = await storeUri();
  const name = `auth_${randomBytes(6).toString('hex')}`;
  const definitions = [...AUTH_COLLECTIONS, auditLog, auditHeads, outbox];
  const database = await Database.open(store.uri, name, definitions);
  return {
    database,
    /** Another process's connection to the same database. */
    another: () => Database.open(store.uri, name, definitions),
    close: async () => {
      await database.drop();
      await database.close();
      await store.close();
    },
  };
}

export const testClock = () => fixedClock('2030-01-01T00:00:00.000Z');
export const testMasterKey = (secret = SECRET) => openMasterKey({ PALISADE_SECRET: secret, dataDir: null });

/** A minimal app: the sign-in routes, and `/whoami`, which answers with the context of the caller. */
export async function createTestApp(auth: Auth): Promise<FastifyInstance> {
  const app = Fastify();
  registerErrorHandlers(app);
  auth.registerRoutes(app);
  app.route({ method: ['GET', 'POST'], url: '/whoami', handler: (request) => auth.authenticate(request) });
  await app.ready();
  return app;
}

/** A database, an app and a clock, with one organization of two tenants. */
export async function createWorld(options: { rateLimiter?: RateLimiter; publicUrl?: string; smtpUrl?: string } = {}) {
  const { database, another, close } = await openTestDatabase();
  const clock = testClock();
  const masterKey = testMasterKey();
  const seed = { database, masterKey, clock };
  const auth = await createAuth({
    config: { PUBLIC_URL: options.publicUrl },
    database,
    masterKey,
    clock,
    jobs: new JobQueue(database, clock),
    mailer: createMailer({ SMTP_URL: options.smtpUrl, MAIL_FROM: 'palisade@test.example' }),
    outbound: createOutbound(['127.0.0.0/8']),
    logger: createLogger('silent'),
    rateLimiter: options.rateLimiter,
  });
  const app = await createTestApp(auth);
  const password_hash = await hashPassword(PASSWORD);
  const organization = await createOrganization(seed, { name: 'Example' });
  const [first, second] = await Promise.all(
    ['First', 'Second'].map((name) => createTenant(seed, { organization_id: organization._id, name, plan: 'enterprise' })),
  );

  const user = (email: string, input: Partial<Parameters<typeof createUser>[1]> = {}) =>
    createUser(seed, { email, name: email.split('@')[0]!, password_hash, organization_id: organization._id, ...input });

  const member = async (email: string, role: Role, tenantId = first!.tenant_id, input: Partial<Parameters<typeof createUser>[1]> = {}) => {
    const made = await user(email, input);
    if (role === 'platform_admin') await database.system(organizations).update({ _id: organization._id }, { $set: { operator: true } });
    await addMembership(seed, { tenant_id: tenantId, user: made, role });
    return made;
  };

  const signIn = (email: string, password = PASSWORD, remoteAddress = '192.0.2.1') =>
    app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password }, remoteAddress });

  /** The cookie of a session, as if a second factor had been shown. */
  const sessionOf = async (made: { _id: string }, tenantId = first!.tenant_id, membership_id = `${tenantId}|${made._id}`) => {
    const row = await auth.parts.sessions.create({
      user_id: made._id,
      tenant_id: tenantId,
      membership_id,
      method: 'password',
      second_factor: true,
      ip_address: '192.0.2.1',
      user_agent: '',
    });
    return auth.parts.tokens.issue({ session_id: row._id, user_id: made._id, tenant_id: tenantId });
  };

  const whoami = (token: string, headers: Record<string, string> = {}) =>
    app.inject({ url: '/whoami', headers: { cookie: `access_token=${token}`, ...headers } });

  const post = (path: string, token: string, payload?: object, headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url: path, payload, headers: { cookie: `access_token=${token}`, ...headers } });

  return {
    app,
    auth,
    database,
    clock,
    masterKey,
    seed,
    organization,
    first: first!,
    second: second!,
    user,
    member,
    signIn,
    sessionOf,
    whoami,
    post,
    another,
    close: async () => {
      await app.close();
      await close();
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** The token that a response has set. */
export function tokenOf(response: LightMyRequestResponse): string {
  const cookie = response.cookies.find(({ name }) => name === 'access_token');
  if (!cookie) throw new Error(`no cookie in a ${response.statusCode}: ${response.body}`);
  return cookie.value;
}
