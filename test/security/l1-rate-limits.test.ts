import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import type { Plan } from '../../kit/base/auth-context.js';
import { tenants } from '../../accounts/records.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { type Answer, type Client, type TestTenant } from '../support/world.js';

// Each plan is small in one way: starter by the minute, growth by the hour, enterprise for many clients.
const LIMITS = { starter: '20/1000', growth: '1000/30', enterprise: '60/1000' } as const;
const LONG = 600_000;
const PATH = '/api/v1/check/findings';

let world: OwnWorld;
beforeAll(async () => {
  const RATE_LIMITS = Object.entries(LIMITS).map(([plan, limits]) => `${plan}=${limits}`);
  world = await openOwnWorld({ servers: 2, env: { RATE_LIMITS: RATE_LIMITS.join(',') } });
}, LONG);
afterAll(() => world?.close(), LONG);

async function tenantOf(plan: Plan): Promise<TestTenant> {
  const made = await world.tenant();
  await world.database.tenant(made.tenant._id).collection(tenants).update({ _id: made.tenant._id }, { $set: { plan } });
  return made;
}

/** Waits for a calendar minute with at least so many seconds left: a count is of one window. */
async function roomFor(seconds: number): Promise<void> {
  const left = 60 - ((Date.now() / 1000) % 60);
  if (left < seconds) await new Promise((resolve) => setTimeout(resolve, left * 1000 + 100));
}

const header = ({ headers }: Answer, name: string): number => Number(headers.get(name));
const statuses = (answers: readonly Answer[]) => {
  const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
  return { ok: count(200), refused: count(429), other: answers.length - count(200) - count(429) };
};
const times = <T>(count: number, make: (i: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, i) => make(i)));
/** `clients` callers at both servers, each with `calls` calls one after the other. */
const parallel = async (clients: number, calls: number, of: (i: number) => Client): Promise<Answer[]> =>
  (
    await times(clients, async (i) => {
      const answers: Answer[] = [];
      for (let call = 0; call < calls; call++) answers.push(await world.at(of(i), i % 2).call(PATH));
      return answers;
    })
  ).flat();

describe('L1', () => {
  it(
    'failed sign-ins of one account are ten, over both servers and however the address is forged',
    async () => {
      await roomFor(30);
      const body = { email: `${randomUUID()}@test.example`, password: 'wrong' };
      const attempt = (i: number, email = body.email) =>
        world
          .at(world.anonymous, i % 2)
          .call('/api/auth/login', { body: { ...body, email }, headers: { 'x-forwarded-for': `203.0.113.${i}` } });
      const answers: Answer[] = [];
      for (let i = 0; i < 12; i++) answers.push(await attempt(i));
      expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429, 429]);
      expect(header(answers[11]!, 'retry-after')).toBeGreaterThan(0);
      expect((await attempt(0, `${randomUUID()}@test.example`)).status).toBe(401);
    },
    LONG,
  );

  it(
    'fifty clients at once, over two servers, get exactly the minute, and every header is true',
    async () => {
      const client = await (await tenantOf('enterprise')).as('viewer');
      await roomFor(30);
      const answers = await parallel(50, 3, () => client);
      const reset = (Math.floor(Date.now() / 60_000) + 1) * 60;
      expect(statuses(answers)).toEqual({ ok: 60, refused: 90, other: 0 });
      const allowed = answers.filter(({ status }) => status === 200);
      expect(allowed.map((answer) => header(answer, 'x-ratelimit-remaining')).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 60 }, (_, i) => i),
      );
      for (const answer of answers) expect([header(answer, 'x-ratelimit-limit'), header(answer, 'x-ratelimit-reset')]).toEqual([60, reset]);
      for (const answer of answers.filter(({ status }) => status === 429)) {
        const retry_after = header(answer, 'retry-after');
        expect(retry_after).toBeGreaterThan(0);
        expect(retry_after).toBeLessThanOrEqual(60);
        expect(header(answer, 'x-ratelimit-remaining')).toBe(0);
        expect(answer.body).toMatchObject({ error_code: 'RATE_LIMITED', detail: { window: 'minute', limit: 60, retry_after } });
      }
    },
    LONG,
  );

  it(
    'many users of a tenant get exactly the minute together',
    async () => {
      const { as } = await tenantOf('enterprise');
      const clients = await Promise.all((['viewer', 'analyst', 'tenant_admin', 'org_admin'] as const).map(as));
      await roomFor(30);
      expect(statuses(await parallel(50, 3, (i) => clients[i % 4]!))).toEqual({ ok: 60, refused: 90, other: 0 });
    },
    LONG,
  );

  it(
    'the hour is a window of its own, and a refused call charges nothing to the other one',
    async () => {
      const client = await (await tenantOf('growth')).as('viewer');
      await roomFor(30);
      const answers = await parallel(10, 5, () => client);
      expect(statuses(answers)).toEqual({ ok: 30, refused: 20, other: 0 });
      const refused = answers.find(({ status }) => status === 429)!;
      const left = 3600 - (Math.floor(Date.now() / 1000) % 3600);
      expect(refused.body).toMatchObject({ detail: { window: 'hour', limit: 30 } });
      expect(Math.abs(header(refused, 'retry-after') - left)).toBeLessThan(30);
      expect(header(refused, 'x-ratelimit-reset')).toBe((Math.floor(Date.now() / 3_600_000) + 1) * 3600);
    },
    LONG,
  );

  it(
    'a forged X-Forwarded-For, of one address or many, moves no limit of a tenant',
    async () => {
      const client = await (await tenantOf('starter')).as('viewer');
      const forged = (i: number) => ({
        'x-forwarded-for': `203.0.113.${i}, 198.51.100.${i}`,
        forwarded: `for=203.0.113.${i}`,
        'x-real-ip': `203.0.113.${i}`,
      });
      await roomFor(20);
      expect(statuses(await times(30, (i) => client.call(PATH, { headers: forged(i) })))).toEqual({ ok: 20, refused: 10, other: 0 });
    },
    LONG,
  );

  it(
    'calls without a session count by the real address; a forged one is not believed, and another real one is not touched',
    async () => {
      await roomFor(45);
      const first = await world.anonymous.call(PATH, { headers: { 'x-forwarded-for': '203.0.113.250' } });
      const left = header(first, 'x-ratelimit-remaining');
      expect(first.status).toBe(401);
      const answers = await times(left + 20, (i) =>
        world.at(world.anonymous, i % 2).call(PATH, { headers: { 'x-forwarded-for': `203.0.113.${i % 250}` } }),
      );
      const { ok, refused } = statuses(answers.map((answer) => ({ ...answer, status: answer.status === 401 ? 200 : answer.status })));
      expect(ok + refused).toBe(left + 20);
      // two processes, each of which may keep the rest of a block of 2 % to itself
      expect(ok).toBeLessThanOrEqual(left);
      expect(ok).toBeGreaterThanOrEqual(left - 2 * 6);
      expect((await fromAddress('127.0.0.2')).status).toBe(401);
      const { status, headers } = await (await (await tenantOf('starter')).as('viewer')).call(PATH);
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, '20']);
    },
    LONG,
  );

  it(
    'one user gets half of the minute while others are active, and all of it alone',
    async () => {
      await roomFor(30);
      const { as } = await tenantOf('starter');
      const [one, other] = [await as('viewer'), await as('analyst')];
      expect((await other.call(PATH)).status).toBe(200);
      expect(statuses(await times(30, () => one.call(PATH)))).toEqual({ ok: 10, refused: 20, other: 0 });
      expect(statuses(await times(15, () => other.call(PATH)))).toEqual({ ok: 9, refused: 6, other: 0 });
      const alone = await (await tenantOf('starter')).as('viewer');
      expect(statuses(await times(30, () => alone.call(PATH)))).toEqual({ ok: 20, refused: 10, other: 0 });
    },
    LONG,
  );

  it(
    'API keys and the graph count with the rest of the tenant, for the owner of the key',
    async () => {
      await roomFor(30);
      const { as } = await tenantOf('starter');
      const owner = await as('tenant_admin');
      const expires_at = new Date(Date.now() + 86_400_000).toISOString();
      const made = await owner.call<{ key: string }>('/api/v1/api-keys', { body: { name: 'k', permissions: ['check:read'], expires_at } });
      const authorization = `Bearer ${made.body.key}`;
      const byKey = (i: number) =>
        i % 2
          ? world.anonymous.call(PATH, { headers: { authorization } })
          : world.anonymous.call('/graphql', { body: { query: '{ check_findings { total } }' }, headers: { authorization } });
      expect(statuses(await times(30, byKey))).toEqual({ ok: 19, refused: 11, other: 0 });
      expect((await owner.call(PATH)).status).toBe(429);
      const second = await tenantOf('starter');
      expect((await (await second.as('viewer')).call(PATH)).status).toBe(200);
    },
    LONG,
  );

  it(
    'operations of the graph that are refused count, too, and a caller with no call left is told that first',
    async () => {
      await roomFor(30);
      const client = await (await tenantOf('starter')).as('viewer');
      const hostile = (i: number) =>
        [
          () => client.call('/graphql', { body: { query: '{' } }),
          () => client.call('/graphql', { body: { query: '{ nothing }' } }),
          () => client.call('/graphql', { body: [] }),
          () => client.call('/graphql', { raw: '{', headers: { 'content-type': 'application/json' } }),
          () => client.call('/graphql', { raw: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
        ][i % 5]!();
      const answers = await times(20, hostile);
      expect(answers.filter(({ status }) => status !== 400 && status !== 415)).toEqual([]);
      expect(answers.map((answer) => header(answer, 'x-ratelimit-limit'))).toEqual(Array<number>(20).fill(20));
      const refused = await times(5, hostile);
      expect(refused.map(({ status }) => status)).toEqual(Array<number>(5).fill(429));
      expect(header(refused[0]!, 'retry-after')).toBeGreaterThan(0);
      expect((await client.call(PATH)).status).toBe(429);
    },
    LONG,
  );

  it('a call of the graph without a session counts against its address', async () => {
    await roomFor(10);
    const left = async () => (await fromAddress('127.0.0.77', '/graphql', 'POST')).remaining;
    const before = await left();
    expect(await left()).toBe(before - 1);
  });

  it('endpoints of the gateway are exempt and carry the headers', async () => {
    const client = await (await tenantOf('starter')).as('viewer');
    const answers = await times(30, () => client.call('/gateway/health'));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(30).fill(200));
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) expect(header(answers[0]!, name)).not.toBeNaN();
    expect((await client.call(PATH)).status).toBe(200);
  });
});

/** A call without a session from another address of this machine. */
const fromAddress = (localAddress: string, path = PATH, method = 'GET') =>
  new Promise<{ status: number; remaining: number }>((resolve, reject) => {
    request(`${world.url}${path}`, { localAddress, method }, (response) => {
      response.resume();
      resolve({ status: response.statusCode!, remaining: Number(response.headers['x-ratelimit-remaining']) });
    })
      .on('error', reject)
      .end();
  });
