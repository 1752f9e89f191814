import Fastify from 'fastify';
import { addressKey } from '../../http/address-key.js';
import { registerErrorHandlers } from '../../http/envelope.js';
import {
  assertAllowed,
  createRateLimiter,
  graphqlCost,
  setRateLimitHeaders,
  type RateCaller,
  type RateDecision,
} from '../../http/rate-limit.js';
import { addressLimits, planLimits } from '../../http/rate-limits.js';
import { rateWindows } from '../../http/rate-window.js';
import { openTestDatabase, testClock } from './world.js';

let store: Awaited<ReturnType<typeof openTestDatabase>>;
let tenants = 0;
beforeAll(async () => {
  store = await openTestDatabase();
});
afterAll(() => store.close());

/** A tenant of its own with ten calls a minute and twenty-five an hour, unless told otherwise. */
function setUp(limits = 'starter=10/25') {
  const clock = testClock();
  const tenant_id = `ten_${++tenants}`;
  const as = (user_id: string): RateCaller => ({ tenant_id, user_id, plan: 'starter' });
  return { clock, as, limiter: createRateLimiter(store.database, clock, { RATE_LIMITS: limits }), tenant_id };
}
const allowed = (decisions: RateDecision[]) => decisions.filter((decision) => decision.allowed).length;
const times = <T>(count: number, make: (i: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, i) => make(i)));

test('the plans are those of the specification, and RATE_LIMITS overrides them', () => {
  expect(planLimits(undefined)).toEqual({
    starter: { minute: 60, hour: 1000 },
    growth: { minute: 300, hour: 10_000 },
    enterprise: { minute: 1000, hour: 50_000 },
  });
  expect(planLimits('growth=5/6').growth).toEqual({ minute: 5, hour: 6 });
  expect(addressLimits('growth=5/6,address=7/8')).toEqual({ minute: 7, hour: 8 });
  expect(addressLimits('growth=5/6')).toEqual({ minute: 300, hour: 6000 });
  expect(planLimits('growth=5/6').starter).toEqual({ minute: 60, hour: 1000 });
});

describe('L1', () => {
  test('the decision tells the tighter window truly', async () => {
    const { limiter, as, clock } = setUp();
    clock.set('2030-01-01T00:10:20.500Z');
    const minute = Date.parse('2030-01-01T00:11:00Z') / 1000;
    expect(await limiter.consume(as('ada'))).toEqual({
      allowed: true,
      window: 'minute',
      limit: 10,
      remaining: 9,
      reset: minute,
      retry_after: 40,
    });
    for (let i = 0; i < 8; i++) await limiter.consume(as('ada'));
    expect(await limiter.consume(as('ada'))).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume(as('ada'))).toEqual({
      allowed: false,
      window: 'minute',
      limit: 10,
      remaining: 0,
      reset: minute,
      retry_after: 40,
    });
    expect(await limiter.peek(as('ada'))).toMatchObject({ window: 'minute', remaining: 0 });
    clock.set('2030-01-01T00:11:00.000Z');
    expect(await limiter.consume(as('ada'))).toMatchObject({ allowed: true, window: 'minute', remaining: 9 });
  });

  test('a refused call charges nothing to the other window', async () => {
    const { limiter, as, clock } = setUp();
    for (let i = 0; i < 30; i++) await limiter.consume(as('ada'));
    clock.advance(60_000);
    for (let i = 0; i < 30; i++) await limiter.consume(as('ada'));
    clock.advance(60_000);
    const decisions = await times(10, () => limiter.consume(as('ada')));
    expect(allowed(decisions)).toBe(5);
    expect(decisions.find((decision) => !decision.allowed)).toMatchObject({ window: 'hour', limit: 25, remaining: 0, retry_after: 3480 });
    clock.advance(3_600_000);
    expect(await limiter.consume(as('ada'))).toMatchObject({ allowed: true });
  });

  test('fifty clients at once get exactly the limit, from two processes over one store', async () => {
    const { limiter, as, clock } = setUp('starter=60/1000');
    const second = await store.another();
    const limiters = [limiter, createRateLimiter(second, clock, { RATE_LIMITS: 'starter=60/1000' })];
    const decisions = await times(50, async (i) => {
      const own = [];
      for (let call = 0; call < 4; call++) own.push(await limiters[i % 2]!.consume(as('ada')));
      return own;
    });
    expect(allowed(decisions.flat())).toBe(60);
    const remaining = decisions
      .flat()
      .filter((decision) => decision.allowed)
      .map((decision) => decision.remaining);
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
    await second.close();
  });

  test('tenants do not count against each other', async () => {
    const [one, two] = [setUp(), setUp()];
    await times(15, () => one.limiter.consume(one.as('ada')));
    expect(allowed(await times(15, () => two.limiter.consume(two.as('ada'))))).toBe(10);
  });
});

describe('fairness', () => {
  test('one user alone may use the whole window', async () => {
    const { limiter, as } = setUp();
    expect(allowed(await times(20, () => limiter.consume(as('ada'))))).toBe(10);
  });

  test('one user uses at most half when others are active', async () => {
    const { limiter, as } = setUp();
    expect(await limiter.consume(as('bob'))).toMatchObject({ allowed: true });
    const decisions = await times(20, () => limiter.consume(as('ada')));
    expect(allowed(decisions)).toBe(5);
    expect(
      decisions
        .filter((decision) => decision.allowed)
        .map(({ remaining }) => remaining)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4]);
    expect(decisions.find((decision) => !decision.allowed)).toMatchObject({ window: 'minute', remaining: 0 });
    expect(allowed(await times(20, () => limiter.consume(as('bob'))))).toBe(4);
    expect(await limiter.consume(as('eve'))).toMatchObject({ allowed: false });
  });

  test('activity in another minute does not halve this one', async () => {
    const { limiter, as, clock } = setUp('starter=10/1000');
    await limiter.consume(as('bob'));
    clock.advance(60_000);
    expect(allowed(await times(20, () => limiter.consume(as('ada'))))).toBe(10);
  });

  test('user ids that are no field names are counted all the same', async () => {
    const { limiter, as } = setUp();
    await limiter.consume(as('$where.a'));
    expect(allowed(await times(20, () => limiter.consume(as('a.b$c'))))).toBe(5);
  });
});

describe('costs and addresses', () => {
  test('a GraphQL operation costs one for each hundred fields, and is taken whole or not at all', async () => {
    expect([1, 100, 101, 1000].map(graphqlCost)).toEqual([1, 1, 2, 10]);
    const { limiter, as } = setUp();
    expect(await limiter.consume(as('ada'), 7)).toMatchObject({ allowed: true, remaining: 3 });
    expect(await limiter.consume(as('ada'), 4)).toMatchObject({ allowed: false, remaining: 3 });
    expect(await limiter.consume(as('ada'), 3)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume(as('ada'), 11)).toMatchObject({ allowed: false });
  });

  test('messages to one hook count together, whoever sends them', async () => {
    const { limiter } = setUp();
    expect(allowed(await times(130, () => limiter.consumeHook('one')))).toBe(120);
    expect(await limiter.consumeHook('another')).toMatchObject({ allowed: true, remaining: 119 });
  });

  test('calls without a session count by address', async () => {
    const { limiter } = setUp();
    const decisions = await times(320, () => limiter.consumeAddress('198.51.100.1'));
    expect(allowed(decisions)).toBe(300);
    expect(await limiter.consumeAddress('198.51.100.2')).toMatchObject({ allowed: true, remaining: 299 });
    expect(await limiter.peekAddress('198.51.100.1')).toMatchObject({ remaining: 0 });
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('the address %s counts as %s', (address, key) => expect(addressKey(address)).toBe(key));
});

test('a row stays small and is removed after its hour', async () => {
  const { limiter, as, clock, tenant_id } = setUp('starter=1000/10000');
  for (let minute = 0; minute < 30; minute++) {
    await limiter.consume(as('ada'));
    clock.advance(60_000);
  }
  const row = await store.database.system(rateWindows).findOne({ _id: { $regex: `^tenant\\|${tenant_id}\\|` } });
  expect(Object.keys(row!.m).length).toBeLessThanOrEqual(2);
  expect(row!.expires_at.toISOString()).toBe('2030-01-01T01:05:00.000Z');
});

test('over HTTP: headers on every answer, 429 with Retry-After and detail', async () => {
  const { limiter, as } = setUp('starter=2/25');
  const app = Fastify();
  registerErrorHandlers(app);
  app.get('/', async (_request, reply) => {
    const decision = await limiter.consume(as('ada'));
    setRateLimitHeaders(reply, decision);
    assertAllowed(decision);
    return 'ok';
  });
  const answers = [await app.inject('/'), await app.inject('/'), await app.inject('/')];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['1', '0', '0']);
  expect(answers[2]!.headers).toMatchObject({
    'x-ratelimit-limit': '2',
    'retry-after': '60',
    'x-ratelimit-reset': String(Date.parse('2030-01-01T00:01:00Z') / 1000),
  });
  expect(answers[2]!.json()).toMatchObject({ error_code: 'RATE_LIMITED', detail: { window: 'minute', limit: 2, retry_after: 60 } });
  await app.close();
});
