// Limits of more than a hundred calls a minute, which processes draw from the store in blocks.
import { blockOf } from '../../http/drawn-count.js';
import { createRateLimiter, type RateCaller, type RateDecision, type RateLimiter } from '../../http/rate-limit.js';
import { rateWindows } from '../../http/rate-window.js';
import { openTestDatabase, testClock } from './world.js';

let store: Awaited<ReturnType<typeof openTestDatabase>>;
let tenants = 0;
beforeAll(async () => {
  store = await openTestDatabase();
});
afterAll(() => store.close());

const LIMITS = { minute: 200, hour: 900 };
const BLOCK = 4;

/** A tenant of its own, seen by some processes over one store. */
function setUp(processes = 1) {
  const clock = testClock();
  const tenant_id = `ten_${++tenants}`;
  const limiter = () => createRateLimiter(store.database, clock, { RATE_LIMITS: `starter=${LIMITS.minute}/${LIMITS.hour}` });
  const limiters = Array.from({ length: processes }, limiter);
  const as = (user_id: string): RateCaller => ({ tenant_id, user_id, plan: 'starter' });
  const row = () => store.database.system(rateWindows).findOne({ _id: { $regex: `^tenant\\|${tenant_id}\\|` } });
  return { clock, limiters, limiter: limiters[0]!, as, row };
}
const allowed = (decisions: RateDecision[]) => decisions.filter((decision) => decision.allowed).length;

/** Counts what `work` asks of the store. */
async function commandsOf(work: () => Promise<unknown>): Promise<{ writes: number; reads: number }> {
  const rows: object = Object.getPrototypeOf(Object.getPrototypeOf(store.database.system(rateWindows)));
  const spies = [
    jest.spyOn(rows as { findAndUpdate(): Promise<unknown> }, 'findAndUpdate'),
    jest.spyOn(Object.getPrototypeOf(rows) as { findOne(): Promise<unknown> }, 'findOne'),
  ] as const;
  try {
    await work();
    return { writes: spies[0].mock.calls.length, reads: spies[1].mock.calls.length };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Numbers from 0 to `below`, the same in every run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test('a block is at most 2 % of either window, and there is none for up to a hundred calls a minute', () => {
  expect(blockOf({ minute: 100, hour: 50_000 })).toBeNull();
  expect(blockOf({ minute: 101, hour: 50_000 })).toBe(2);
  expect(blockOf({ minute: 1_000, hour: 50_000 })).toBe(20);
  expect(blockOf({ minute: 1_000, hour: 200 })).toBe(4);
  expect(blockOf({ minute: 1_000, hour: 10 })).toBe(1);
  expect(blockOf(LIMITS)).toBe(BLOCK);
});

test('what is left counts down by one with each call, and exactly the limit is let in', async () => {
  const { limiter, as } = setUp();
  const decisions = [];
  for (let call = 0; call < LIMITS.minute + 5; call++) decisions.push(await limiter.consume(as('ada')));
  expect(decisions.map(({ remaining }) => remaining)).toEqual(
    Array.from({ length: LIMITS.minute + 5 }, (_, call) => Math.max(0, LIMITS.minute - 1 - call)),
  );
  expect(allowed(decisions)).toBe(LIMITS.minute);
});

test('a block is one write, and a window that is used up is neither written nor read', async () => {
  const { limiter, as } = setUp();
  await limiter.consume(as('ada'));
  const within = await commandsOf(async () => {
    for (let call = 1; call < LIMITS.minute; call++) await limiter.consume(as('ada'));
  });
  expect(within).toEqual({ writes: LIMITS.minute / BLOCK - 1, reads: 0 });
  const over = await commandsOf(async () => {
    for (let call = 0; call < 50; call++) expect(await limiter.consume(as('ada'))).toMatchObject({ allowed: false });
    expect(await limiter.peek(as('ada'))).toMatchObject({ remaining: 0 });
  });
  expect(over).toEqual({ writes: 0, reads: 0 });
});

test('what is left of a block is good in the next minute for the hour, and not for the minute', async () => {
  const { limiter, as, clock, row } = setUp();
  await limiter.consume(as('ada'));
  clock.advance(60_000);
  expect(await limiter.consume(as('ada'))).toMatchObject({ window: 'minute', remaining: LIMITS.minute - 1 });
  expect((await row())!).toMatchObject({ h: { t: BLOCK + 1 }, m: { m0: { t: BLOCK }, m1: { t: BLOCK } } });
});

test('any number of processes at once lets in the limit and no more, and loses at most a block each', async () => {
  const { limiters, as, clock } = setUp(5);
  for (const full of [LIMITS.minute, LIMITS.minute]) {
    const decisions = await Promise.all(
      Array.from({ length: 2 * full }, async (_, call) =>
        limiters[call % limiters.length]!.consume(as('ada'), 1 + (call % 3 === 0 ? 2 : 0)),
      ),
    );
    const used = decisions.reduce((sum, decision, call) => sum + (decision.allowed ? 1 + (call % 3 === 0 ? 2 : 0) : 0), 0);
    expect(used).toBeLessThanOrEqual(full);
    expect(used).toBeGreaterThanOrEqual(full - limiters.length * BLOCK);
    clock.advance(60_000);
  }
});

test('a process that knows nothing of what others have used since is told by the store', async () => {
  const { limiters, as } = setUp(2);
  const [one, two] = limiters as [RateLimiter, RateLimiter];
  for (let call = 0; call < BLOCK; call++) await one.consume(as('ada'));
  for (let call = 0; call < LIMITS.minute - BLOCK - 1; call++) await two.consume(as('ada'));
  // the last call is in the other process's block
  expect(await one.consume(as('ada'))).toMatchObject({ allowed: false, window: 'minute', remaining: 0 });
  expect(await two.consume(as('ada'))).toMatchObject({ allowed: true, remaining: 0 });
});

test('a call of more than a block is taken whole or not at all', async () => {
  const { limiter, as } = setUp();
  expect(await limiter.consume(as('ada'), 150)).toMatchObject({ allowed: true, remaining: 50 });
  expect(await limiter.consume(as('ada'), 51)).toMatchObject({ allowed: false, remaining: 50 });
  expect(await limiter.consume(as('ada'), 50)).toMatchObject({ allowed: true, remaining: 0 });
});

test('another process learns who has called with the next block', async () => {
  const { limiters, as } = setUp(2);
  const [one, two] = limiters as [RateLimiter, RateLimiter];
  for (let call = 0; call < 2 * BLOCK; call++) await one.consume(as('bob'));
  await one.consume(as('bob'));
  let used = 0;
  while ((await two.consume(as('ada'))).allowed) used++;
  expect(used).toBe(LIMITS.minute / 2);
});

/** The rules of decision 28 over plain numbers: what one process has to answer, block or not. */
class Model {
  private readonly windows = { hour: new Map<string, number>(), minute: new Map<string, number>() };
  private last = { hour: -1, minute: -1 };

  consume(user: string, cost: number, seconds: number): Pick<RateDecision, 'allowed' | 'window' | 'remaining'> {
    const now = { hour: Math.floor(seconds / 3600), minute: Math.floor(seconds / 60) };
    for (const window of ['hour', 'minute'] as const) if (now[window] !== this.last[window]) this.windows[window].clear();
    this.last = now;
    const left = (window: 'hour' | 'minute') => {
      const calls = this.windows[window];
      const used = [...calls.values()].reduce((sum, count) => sum + count, 0);
      const own = calls.get(user) ?? 0;
      return Math.min(LIMITS[window] - used, used > own ? LIMITS[window] / 2 - own : LIMITS[window]);
    };
    const isAllowed = left('hour') >= cost && left('minute') >= cost;
    const lacking = (['hour', 'minute'] as const).find((window) => left(window) < cost);
    if (isAllowed) for (const calls of Object.values(this.windows)) calls.set(user, (calls.get(user) ?? 0) + cost);
    const window = lacking ?? (left('hour') < left('minute') ? 'hour' : 'minute');
    return { allowed: isAllowed, window, remaining: Math.max(0, left(window)) };
  }
}

test.each([1, 2, 3])('one process answers as if each call were counted by itself (random calls %i)', async (seed) => {
  const { limiter, as, clock } = setUp();
  const random = sequence(seed);
  const model = new Model();
  for (let call = 0; call < 1_500; call++) {
    if (random(60) === 0) clock.advance(random(200_000));
    const [user, cost] = [['ada', 'ada', 'ada', 'bob', 'eve'][random(5)]!, random(10) === 0 ? random(12) + 1 : 1];
    const seconds = Math.floor(clock.now().getTime() / 1000);
    expect({ call, ...(await limiter.consume(as(user), cost)) }).toMatchObject({ call, ...model.consume(user, cost, seconds) });
  }
});
