import { createBruteForceGuard, FAILURES } from '../../sign-in/brute-force.js';
import { createWorld, type World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
  await world.member('ada@example.com', 'viewer');
});
afterEach(() => world.close());

const statuses = async (tries: number, email: string, password: string, address = '192.0.2.1') => {
  const answers = await Promise.all(Array.from({ length: tries }, () => world.signIn(email, password, address)));
  return answers.map(({ statusCode }) => statusCode).sort();
};

describe('P2: guessing', () => {
  test.each(['ada@example.com', 'unknown@example.com'])(
    'parallel guesses at %s end after ten, also for the right password',
    async (email) => {
      expect(await statuses(30, email, 'wrong')).toEqual([...Array(FAILURES.account).fill(401), ...Array(20).fill(429)]);
      const refused = await world.signIn(email, undefined, '203.0.113.9');
      expect(refused.statusCode).toBe(429);
      expect(refused.headers['retry-after']).toBe('900');
      expect(refused.json()).toMatchObject({ error_code: 'RATE_LIMITED', detail: { window: 'sign-in', limit: 10, retry_after: 900 } });
    },
  );

  test('an account that exists and one that does not are refused alike', async () => {
    await statuses(10, 'ada@example.com', 'wrong');
    await statuses(10, 'unknown@example.com', 'wrong');
    expect((await world.signIn('ada@example.com', 'wrong')).body).toBe((await world.signIn('unknown@example.com', 'wrong')).body);
  });

  test('the limit ends with its window', async () => {
    await statuses(10, 'ada@example.com', 'wrong');
    expect(await statuses(1, 'ada@example.com', undefined as never)).toEqual([429]);
    world.clock.advance(15 * 60_000);
    expect((await world.signIn('ada@example.com')).statusCode).toBe(200);
  });

  test('successes cost nothing', async () => {
    for (let i = 0; i < 25; i++) expect((await world.signIn('ada@example.com')).statusCode).toBe(200);
  });

  test('one address cannot try one password on every account', async () => {
    const guard = createBruteForceGuard(world.database, world.clock);
    for (let i = 0; i < FAILURES.address; i++) await (await guard.begin('2001:db8::1', `user${i}@example.com`)).settle(false);
    // The other half of an IPv6 address is the subscriber's to choose.
    await expect(guard.begin('2001:db8:0:0:ffff::2', 'another@example.com')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(guard.begin('2001:db8:0:1::1', 'another@example.com')).resolves.toBeDefined();
  });

  test('two processes count together', async () => {
    const other = await world.another();
    const guards = [createBruteForceGuard(world.database, world.clock), createBruteForceGuard(other, world.clock)];
    const tries = Array.from({ length: 30 }, async (_, i) => {
      const attempt = await guards[i % 2]!.begin('192.0.2.1', 'shared@example.com');
      await attempt.settle(false);
    });
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(FAILURES.account);
    await other.close();
  });
});
