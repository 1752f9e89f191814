import { createBruteForceGuard, FAILURES } from '../../sign-in/brute-force.js';
import { addressBlock } from '../../http/address-key.js';
import { beginAttempt, delayAfter, signInAttempts } from '../../accounts/attempts.js';
import { createWorld, PASSWORD, type World } from './world.js';

// forty hashes, on a machine that may be busy
jest.setTimeout(600_000);

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
const repeated = <T>(count: number, value: T) => Array<T>(count).fill(value);

/** Signs in with the cookies that a browser has kept of an answer before. */
const signInWith = (cookie: string, password: string, email = 'ada@example.com', remoteAddress = '192.0.2.1') =>
  world.app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password }, remoteAddress, headers: { cookie } });
const deviceOf = (answer: { cookies: { name: string; value: string }[] }) => {
  const { name, value } = answer.cookies.find((cookie) => cookie.name.endsWith('known_device'))!;
  return `${name}=${value}`;
};

describe('P2: guessing', () => {
  test.each(['ada@example.com', 'unknown@example.com'])(
    'parallel guesses at %s end after ten, also for the right password, in the whole block of their address',
    async (email) => {
      expect(await statuses(30, email, 'wrong')).toEqual([...repeated(FAILURES.account, 401), ...repeated(20, 429)]);
      const refused = await world.signIn(email, undefined, '192.0.2.77');
      expect(refused.statusCode).toBe(429);
      expect(refused.headers['retry-after']).toBe('900');
      expect(refused.json()).toMatchObject({ error_code: 'RATE_LIMITED', detail: { window: 'sign-in', limit: 10, retry_after: 900 } });
    },
  );

  test('who is guessed at gets in from another address, a little later', async () => {
    await statuses(12, 'ada@example.com', 'wrong');
    const began = performance.now();
    expect((await world.signIn('ada@example.com', PASSWORD, '203.0.113.9')).statusCode).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(990);
    expect((await world.signIn('unknown@example.com', PASSWORD, '203.0.113.9')).statusCode).toBe(401);
  });

  test('the delay grows to at most 30 seconds', () => {
    expect([0, 9, 10, 19, 20, 30, 40, 50, 60, 10_000].map((failures) => delayAfter(failures, 10))).toEqual([
      0, 0, 1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
  });

  test('guesses from many blocks count together, before they are looked at', async () => {
    const guard = createBruteForceGuard(world);
    const began = performance.now();
    const tries = Array.from({ length: 12 }, async (_, i) => {
      const attempt = await guard.beginSignIn({ ip_address: `198.51.${i}.1`, account: 'ada@example.com', device: null });
      return { settle: attempt.settle, after: performance.now() - began };
    });
    const attempts = await Promise.all(tries);
    expect(attempts.filter(({ after }) => after >= 990)).toHaveLength(2);
    for (const { settle } of attempts) await settle(true);
    const rows = await world.database.system(signInAttempts).find({});
    expect(rows.map(({ used, failures }) => [used, failures])).toEqual(repeated(rows.length, [0, 0]));
  });

  test('a bounded number waits for one account; the others are refused at once', async () => {
    const waiting: (() => void)[] = [];
    const guard = createBruteForceGuard(world, () => new Promise<void>((resolve) => waiting.push(resolve)));
    const beginFrom = (i: number) => guard.beginSignIn({ ip_address: `198.51.${i}.1`, account: 'ada@example.com', device: null });
    for (let i = 0; i < 10; i++) await (await beginFrom(i)).settle(false);
    let refused = 0;
    const tries = Array.from({ length: 30 }, (_, i) =>
      beginFrom(100 + i).catch((error: unknown) => (refused++, Promise.reject(error as Error))),
    );
    const all = Promise.allSettled(tries);
    while (refused + waiting.length < 30) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([refused, waiting.length]).toEqual([10, 20]);
    for (const resolve of waiting) resolve();
    const outcomes = await all;
    for (const one of outcomes) if (one.status === 'fulfilled') await one.value.settle(true);
  });

  test('a device that has signed in before gets in at once, whatever others have guessed', async () => {
    const device = deviceOf(await world.signIn('ada@example.com'));
    await statuses(12, 'ada@example.com', 'wrong');
    expect((await world.signIn('ada@example.com')).statusCode).toBe(429);
    expect((await signInWith(device, PASSWORD)).statusCode).toBe(200);
    for (let i = 0; i < FAILURES.account; i++) expect((await signInWith(device, 'wrong')).statusCode).toBe(401);
    expect((await signInWith(device, PASSWORD)).statusCode).toBe(429);
  });

  test('a remembrance is for its account, ends with the password and after 90 days, and cannot be made up', async () => {
    await world.member('eve@example.com', 'viewer');
    const device = deviceOf(await world.signIn('ada@example.com'));
    const other = deviceOf(await world.signIn('eve@example.com'));
    const isKnown = async (cookie: string) => (await signInWith(cookie, PASSWORD)).statusCode === 200;
    await statuses(12, 'ada@example.com', 'wrong');
    expect([await isKnown(device), await isKnown(other), await isKnown(`${device}x`)]).toEqual([true, false, false]);
    // one browser keeps the remembrances of several accounts
    const both = deviceOf(await signInWith(device, PASSWORD, 'eve@example.com'));
    expect(await isKnown(both)).toBe(true);

    world.clock.advance(90 * 86_400_000 - 1_000);
    await statuses(12, 'ada@example.com', 'wrong');
    expect(await isKnown(device)).toBe(true);
    world.clock.advance(1_000);
    await statuses(12, 'ada@example.com', 'wrong');
    expect(await isKnown(device)).toBe(false);

    world.clock.advance(15 * 60_000);
    const signedIn = await world.signIn('ada@example.com');
    const before = deviceOf(signedIn);
    const body = { current_password: PASSWORD, password: 'another phrase of this test' };
    const changed = await world.post('/api/auth/password/change', signedIn.cookies[0]!.value, body);
    expect(changed.statusCode).toBe(204);
    await statuses(12, 'ada@example.com', 'wrong');
    expect((await signInWith(before, body.password)).statusCode).toBe(429);
    expect((await signInWith(deviceOf(changed), body.password)).statusCode).toBe(200);
  });

  test('a remembrance stands in for no second factor', async () => {
    const made = await world.member('root@example.com', 'tenant_admin', undefined, { mfa: 'email' });
    const remembrance = await world.auth.parts.devices.issue(made);
    const answer = await signInWith(`known_device=${remembrance}`, PASSWORD, 'root@example.com');
    expect(answer.json()).toMatchObject({ status: 'mfa_required' });
    expect(answer.cookies).toEqual([]);
  });

  test('who is signed in changes the password, however much others guess', async () => {
    const token = (await world.signIn('ada@example.com')).cookies[0]!.value;
    await statuses(12, 'ada@example.com', 'wrong');
    const body = { current_password: PASSWORD, password: 'another phrase of this test' };
    expect((await world.post('/api/auth/password/change', token, body)).statusCode).toBe(204);
  });

  test('refused tries cost the store nothing', async () => {
    await statuses(11, 'ada@example.com', 'wrong');
    const system = world.database.system.bind(world.database);
    let asked = 0;
    world.database.system = ((definition: never) => {
      asked++;
      return system(definition);
    }) as typeof world.database.system;
    expect(await statuses(200, 'ada@example.com', 'wrong')).toEqual(repeated(200, 429));
    // the device that a cookie names is looked for where one is shown only
    expect(asked).toBe(0);
  });

  test('right tries beyond the limit wait for those under way instead of being refused', async () => {
    expect(await statuses(40, 'ada@example.com', PASSWORD)).toEqual(repeated(40, 200));
    const subject = { kind: 'test', id: 'x', limit: 2 };
    const other = await world.another();
    // another process holds a place: this one waits for its own, and refuses where it has none
    const elsewhere = await beginAttempt({ database: other, clock: world.clock }, subject);
    const own = await beginAttempt(world, subject);
    const waiting = beginAttempt(world, subject);
    await own.settle(true);
    await (await waiting).settle(true);
    await elsewhere.settle(false);
    await (await beginAttempt(world, subject)).settle(false);
    await expect(beginAttempt(world, subject)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await other.close();
  });

  test('an account that exists and one that does not are refused alike', async () => {
    await statuses(10, 'ada@example.com', 'wrong');
    await statuses(10, 'unknown@example.com', 'wrong');
    expect((await world.signIn('ada@example.com', 'wrong')).body).toBe((await world.signIn('unknown@example.com', 'wrong')).body);
  });

  test('the limit ends with its window', async () => {
    await statuses(10, 'ada@example.com', 'wrong');
    expect(await statuses(1, 'ada@example.com', PASSWORD)).toEqual([429]);
    world.clock.advance(15 * 60_000);
    expect((await world.signIn('ada@example.com')).statusCode).toBe(200);
  });

  test('successes cost nothing', async () => {
    for (let i = 0; i < 25; i++) expect((await world.signIn('ada@example.com')).statusCode).toBe(200);
  });

  test('one address cannot try one password on every account', async () => {
    const guard = createBruteForceGuard(world);
    const beginAt = (ip_address: string, account: string) => guard.beginSignIn({ ip_address, account, device: null });
    for (let i = 0; i < FAILURES.address; i++) await (await beginAt('2001:db8::1', `user${i}@example.com`)).settle(false);
    // The other half of an IPv6 address is the subscriber's to choose.
    await expect(beginAt('2001:db8:0:0:ffff::2', 'another@example.com')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(beginAt('2001:db8:0:1::1', 'another@example.com')).resolves.toBeDefined();
  });

  test('a block is the /24 of an IPv4 address and the /48 of an IPv6 address', () => {
    expect(['192.0.2.1', '::ffff:192.0.2.200', '192.0.3.1'].map(addressBlock)).toEqual(['192.0.2.0/24', '192.0.2.0/24', '192.0.3.0/24']);
    expect(['2001:db8:1:2::3', '2001:0db8:0001:ffff:1:2:3:4', '2001:db8:2::1'].map(addressBlock)).toEqual([
      '2001:db8:1::/48',
      '2001:db8:1::/48',
      '2001:db8:2::/48',
    ]);
  });

  test('two processes count together', async () => {
    const other = await world.another();
    const guards = [createBruteForceGuard(world), createBruteForceGuard({ database: other, clock: world.clock })];
    const tries = Array.from({ length: 30 }, async (_, i) => {
      const attempt = await guards[i % 2]!.beginSignIn({ ip_address: '192.0.2.1', account: 'shared@example.com', device: null });
      await attempt.settle(false);
    });
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(FAILURES.account);
    await other.close();
  });
});
