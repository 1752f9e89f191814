import { KEY_PURPOSES, openKeyRing, PENDING_TIME, signingKeys } from '../../kit/keys/key-ring.js';
import { signJws, verifyJws } from '../../kit/keys/strict-jws.js';
import { decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import { INVITE_LIFE } from '../../accounts/invites.js';
import { REMEMBRANCE_LIFE } from '../../sign-in/device-tokens.js';
import { createSessionTokens, TOKEN_LIFE } from '../../sign-in/session-token.js';
import { openTestDatabase, testClock, testMasterKey } from './world.js';

let test1: Awaited<ReturnType<typeof openTestDatabase>>;
const masterKey = testMasterKey();
let clock = testClock();
const services = () => ({ database: test1.database, masterKey, clock });
const rows = () => test1.database.system(signingKeys).find({ purpose: 'session' }, { sort: { generation: 1 } });
const states = async () => (await rows()).map(({ state }) => state);
const schema = z.object({ n: z.number() });

beforeEach(async () => {
  test1 = await openTestDatabase();
  clock = testClock();
});
afterEach(() => test1.close());

test('processes that start at once make one key', async () => {
  const rings = await Promise.all(Array.from({ length: 12 }, () => openKeyRing(services(), 'session')));
  expect(await states()).toEqual(['active']);
  const kids = await Promise.all(rings.map(async (ring) => (await ring.signingKey()).kid));
  expect(new Set(kids)).toEqual(new Set(['session.1']));
  const token = await signJws(rings[0]!, 't', { n: 1 });
  await expect(verifyJws(rings[11]!, 't', token, schema)).resolves.toEqual({ n: 1 });
});

test('private keys are encrypted at rest, and open under their own master key only', async () => {
  await openKeyRing(services(), 'session');
  const [row] = await rows();
  const sealed = Buffer.from(row!.private_key!, 'base64');
  // A PKCS 8 Ed25519 key starts with this sequence; it must not be readable.
  expect(sealed.includes(Buffer.from('302e020100300506032b6570', 'hex'))).toBe(false);
  await expect(openKeyRing({ ...services(), masterKey: testMasterKey('another secret, of the same length') }, 'session')).rejects.toThrow(
    'another master key',
  );
});

test('a key moved to another kid does not open', async () => {
  await openKeyRing(services(), 'session');
  const [row] = await rows();
  await test1.database.system(signingKeys).insert({ ...row!, _id: 'session.2', generation: 2 });
  await expect(openKeyRing(services(), 'session')).rejects.toThrow('session.2');
});

test('the rings of two purposes share no key', async () => {
  const session = await openKeyRing(services(), 'session');
  const context = await openKeyRing(services(), 'auth-context');
  expect(await session.verificationKey('auth-context.1')).toBeNull();
  expect(await context.verificationKey('session.1')).toBeNull();
});

test('a rotation goes pending, active, verify-only, retired, and signatures live as long as they may', async () => {
  const ring = await openKeyRing(services(), 'session');
  const other = await openKeyRing(services(), 'session');
  const old = await signJws(ring, 't', { n: 1 });

  expect(await ring.rotate()).toBe('session.2');
  expect(await other.rotate()).toBe('session.2');
  expect(await states()).toEqual(['active', 'pending']);
  expect((await ring.signingKey()).kid).toBe('session.1');

  clock.advance(PENDING_TIME);
  expect((await ring.signingKey()).kid).toBe('session.2');
  expect(await states()).toEqual(['verify-only', 'active']);
  expect((await rows())[0]!.private_key).toBeNull();
  await expect(verifyJws(other, 't', old, schema)).resolves.toEqual({ n: 1 });
  await expect(verifyJws(other, 't', await signJws(ring, 't', { n: 2 }), schema)).resolves.toEqual({ n: 2 });

  clock.advance(KEY_PURPOSES.session.signatureLife * 1_000 + PENDING_TIME);
  await ring.signingKey();
  expect(await states()).toEqual(['retired', 'active']);
  await expect(verifyJws(ring, 't', old, schema)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a session token that the old key signs last is good for its 12 hours, in a process that read the ring late as well', async () => {
  const late = await openKeyRing(services(), 'session');
  const ring = await openKeyRing(services(), 'session');
  await ring.rotate();
  // the copy of `late` says that the old key signs until just before its time is over, when the new one does elsewhere
  clock.advance(PENDING_TIME - 1);
  await late.signingKey();
  clock.advance(1);
  expect((await ring.signingKey()).kid).toBe('session.2');
  clock.advance(29_000);
  const tokens = createSessionTokens(late, clock);
  const claims = { session_id: 'a-session-of-the-tests', user_id: 'usr_1', tenant_id: 'ten_1' };
  const token = await tokens.issue(claims);
  expect(decodeProtectedHeader(token).kid).toBe('session.1');
  clock.advance(TOKEN_LIFE * 1_000 - 1_000);
  const after = createSessionTokens(await openKeyRing(services(), 'session'), clock);
  await expect(after.read(token)).resolves.toEqual(claims);
  clock.advance(1_000);
  await expect(after.read(token)).rejects.toThrow('Your session has ended');
});

test('every key outlives what it signs', () => {
  const hours = (purpose: keyof typeof KEY_PURPOSES) => KEY_PURPOSES[purpose].signatureLife / 3_600;
  expect(hours('session')).toBeGreaterThan(TOKEN_LIFE / 3_600);
  expect(hours('link')).toBeGreaterThan(INVITE_LIFE / 3_600_000);
  expect(hours('device')).toBeGreaterThan(REMEMBRANCE_LIFE / 3_600);
  expect(KEY_PURPOSES['auth-context'].signatureLife).toBeGreaterThan(30);
});

test('rotations at once make one key', async () => {
  const rings = await Promise.all(Array.from({ length: 6 }, () => openKeyRing(services(), 'session')));
  expect(new Set(await Promise.all(rings.map((ring) => ring.rotate())))).toEqual(new Set(['session.2']));
  clock.advance(PENDING_TIME);
  const kids = await Promise.all(rings.map(async (ring) => (await ring.signingKey()).kid));
  expect(new Set(kids)).toEqual(new Set(['session.2']));
  expect(await states()).toEqual(['verify-only', 'active']);
});

test('unknown kids make the store be asked at most every two seconds, and odd ones never', async () => {
  const ring = await openKeyRing(services(), 'session');
  const find = jest.spyOn(Object.getPrototypeOf(Object.getPrototypeOf(test1.database.system(signingKeys))), 'find');
  try {
    clock.advance(2_000);
    for (const kid of ['../../dev/null', '__proto__', 'session.0', 'session.1e3', 'session.', 'x'.repeat(10_000), 'session.1/../2'])
      expect(await ring.verificationKey(kid)).toBeNull();
    expect(find).toHaveBeenCalledTimes(0);
    await Promise.all(Array.from({ length: 50 }, (_, i) => ring.verificationKey(`session.${i + 100}`)));
    for (let i = 0; i < 50; i++) await ring.verificationKey(`session.${i + 500}`);
    expect(find.mock.calls.length).toBeLessThanOrEqual(2);
  } finally {
    find.mockRestore();
  }
});
