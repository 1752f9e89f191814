// What it costs to know who calls: a session's check and an API key's, against reading one row by its id from the same store; and a
// sign-in, against the password hash that it cannot do without.
import type { FastifyRequest } from 'fastify';
import mongoose from 'mongoose';
import { verify } from '@node-rs/argon2';
import { createAuth, hashPassword, type Auth } from '../sign-in/index.js';
import { login } from '../sign-in/login.js';
import { RUNNING } from '../sign-in/password.js';
import { makeKeyText } from '../accounts/api-keys/key-text.js';
import { apiKeys } from '../accounts/api-keys/records.js';
import { membershipId, memberships } from '../accounts/records.js';
import { addMembership, createTenant, createUser } from '../accounts/seed.js';
import { sessions } from '../accounts/session-record.js';
import { WireConnection } from '../kit/store/wire-connection.js';
import { deploy, stores, type Deployment } from './deployment.js';
import { median } from './load.js';

const CHECKS = Number(process.env['BENCH_CHECKS'] ?? 3_000);
const LOGINS = Number(process.env['BENCH_LOGINS'] ?? 40);
const ROUNDS = 3;
const PASSWORD = 'correct horse battery staple';

type Step = () => Promise<unknown>;

/** Times of `count` runs one after the other, sorted; milliseconds. */
async function timesOf(step: Step, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    await step();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b);
}
const at = (times: readonly number[], share: number): number => times[Math.floor(times.length * share)]!;

/** p50 and p95 of each step in turns, so that the machine's moods fall on all alike. */
async function compare<Name extends string>(steps: Record<Name, Step>, count: number): Promise<Record<Name, { p50: number; p95: number }>> {
  const rounds = {} as Record<Name, { p50: number; p95: number }[]>;
  const names = Object.keys(steps) as Name[];
  for (const name of names) await timesOf(steps[name], Math.ceil(count / 3));
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const times = await timesOf(steps[name], count);
      (rounds[name] ??= []).push({ p50: at(times, 0.5), p95: at(times, 0.95) });
    }
  }
  const best = (name: Name) => ({ p50: median(rounds[name].map(({ p50 }) => p50)), p95: median(rounds[name].map(({ p95 }) => p95)) });
  return Object.fromEntries(names.map((name) => [name, best(name)])) as Record<Name, { p50: number; p95: number }>;
}

/** Steps a second, with all `clients` at once, each `count` times. */
async function perSecond(clients: readonly Step[], count: number): Promise<number> {
  const began = performance.now();
  await Promise.all(clients.map((client) => timesOf(client, count)));
  return (clients.length * count * 1000) / (performance.now() - began);
}

/** Reads and writes that one run of `step` sends to the store: over connections of our own, and by the driver. */
async function commandsOf(step: Step, deployment: Deployment): Promise<number> {
  const connection = mongoose.connections.find(({ name }) => name === deployment.env['MONGODB_DB']);
  if (!connection) throw new Error('the connection of the deployment is not there');
  const client = connection.getClient();
  let commands = 0;
  client.on('commandStarted', () => commands++);
  const { run } = WireConnection.prototype;
  WireConnection.prototype.run = function (this: WireConnection, command) {
    commands++;
    return run.call(this, command);
  };
  for (let i = 0; i < 20; i++) await step();
  WireConnection.prototype.run = run;
  client.removeAllListeners('commandStarted');
  return commands / 20;
}

/** A request as far as signing in looks at it. */
const requestWith = (headers: Record<string, string>) =>
  ({ headers, method: 'GET', protocol: 'http', host: '127.0.0.1', ip: '127.0.0.1', id: 'bench' }) as unknown as FastifyRequest;

async function apiKeyOf({ opened: { services }, tenantId }: Deployment): Promise<string> {
  const member = (await services.database.tenant(tenantId).collection(memberships).findOne({}))!;
  const { text, prefix, secret_hash } = makeKeyText();
  const now = services.clock.now();
  await services.database
    .tenant(tenantId)
    .collection(apiKeys)
    .insert({
      _id: prefix,
      tenant_id: tenantId,
      name: 'bench',
      permissions: ['check:read'],
      secret_hash,
      user_id: member.user_id,
      owner_email: member.email,
      membership_id: membershipId(tenantId, member.user_id),
      created_at: now,
      expires_at: new Date(now.getTime() + 86_400_000),
      last_used_at: now,
      last_used_ip: null,
    });
  return text;
}

/** Sign-ins of one person each in a tenant of its own, so that no two meet at the head of one audit chain. */
async function signIns({ opened: { services } }: Deployment, auth: Auth, password_hash: string): Promise<Step[]> {
  return Promise.all(
    Array.from({ length: RUNNING }, async (_, client) => {
      const tenant = await createTenant(services, { organization_id: 'bench', name: `Client ${client}` });
      const user = await createUser(services, { email: `client-${client}@bench.example`, name: 'Client', password_hash });
      await addMembership(services, { tenant_id: tenant._id, user, role: 'viewer' });
      return () => login(auth.parts, requestWith({}), { email: user.email, password: PASSWORD });
    }),
  );
}

const ms = ({ p50, p95 }: { p50: number; p95: number }) => `p50 ${p50.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`;

for await (const store of stores()) {
  const deployment = await deploy(`${store.uri}${store.uri.includes('?') ? '&' : '/?'}monitorCommands=true`);
  const { services } = deployment.opened;
  const auth = await createAuth({ ...services, config: {} });
  const [row] = await services.database.system(sessions).find({}, { limit: 1 });
  const cookie = requestWith({ cookie: deployment.cookie });
  const bearer = requestWith({ authorization: `Bearer ${await apiKeyOf(deployment)}` });
  const steps = {
    baseline: () => services.database.system(sessions).findOne({ _id: row!._id }),
    session: () => auth.authenticate(cookie),
    key: () => auth.authenticate(bearer),
  };
  const checks = await compare(steps, CHECKS);
  console.log(`${store.name}: one row by its id: ${ms(checks.baseline)}`);
  for (const [name, label] of [
    ['session', 'session check'],
    ['key', 'API key check'],
  ] as const) {
    const ratio = (checks[name].p50 / checks.baseline.p50).toFixed(2);
    const commands = await commandsOf(steps[name], deployment);
    console.log(`${store.name}: ${label}: ${ms(checks[name])} (under 1.5); ${ratio} times one row by its id; ${commands} command(s) (1)`);
  }

  const password_hash = await hashPassword(PASSWORD);
  const clients = await signIns(deployment, auth, password_hash);
  const hashing = () => verify(password_hash, PASSWORD);
  const single = await compare({ hashing, login: clients[0]! }, LOGINS);
  const bare = await perSecond(
    clients.map(() => hashing),
    LOGINS,
  );
  const signedIn = await perSecond(clients, LOGINS);
  console.log(
    `${store.name}: sign-in: ${ms(single.login)}; the password hash alone: ${ms(single.hashing)}; ${(single.login.p50 / single.hashing.p50).toFixed(2)} times (at most 1.5)`,
  );
  console.log(
    `${store.name}: ${RUNNING} sign-ins at a time: ${signedIn.toFixed(1)}/s; hashes alone: ${bare.toFixed(1)}/s; ratio ${(signedIn / bare).toFixed(2)}`,
  );
  await deployment.close();
}
