import { createContextSigner, createContextVerifier, createReplayGuard, type ContextClaims } from '../../gateway/auth-context-token.js';
import { signJws } from '../../kit/keys/strict-jws.js';
import { permissionsOf } from '../../schema/permissions.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { openKeyRing, type KeyRing } from '../../kit/keys/key-ring.js';
import { openTestDatabase, testClock, testMasterKey } from './world.js';

const clock = testClock();
let store: Awaited<ReturnType<typeof openTestDatabase>>;
let ring: KeyRing;
let otherRing: KeyRing;
beforeAll(async () => {
  store = await openTestDatabase();
  const services = { database: store.database, masterKey: testMasterKey(), clock };
  ring = await openKeyRing(services, 'auth-context');
  otherRing = await openKeyRing(services, 'session');
});
afterAll(() => store.close());

const auth: AuthContext = {
  tenant_id: 'ten_1',
  organization_id: 'org_1',
  plan: 'growth',
  user_id: 'usr_1',
  email: 'ada@example.com',
  name: 'Ada',
  session_id: 'ses_1',
  role: 'analyst',
  permissions: permissionsOf('analyst'),
  request_id: 'req-1',
  ip_address: '192.0.2.1',
};
const claims: ContextClaims = { engine: 'check', method: 'POST', path: '/graphql', body: '{"query":"{ me }"}' };
const refused = { code: 'UNAUTHENTICATED' };

const fresh = () => ({ signer: createContextSigner(ring, clock), verifier: createContextVerifier(ring, clock) });

test('a call is accepted once, with the whole context', async () => {
  const { signer, verifier } = fresh();
  const token = await signer.sign(auth, claims);
  await expect(verifier.verify(token, claims)).resolves.toEqual(auth);
  await expect(verifier.verify(token, claims)).rejects.toMatchObject(refused);
});

test('shown twenty times at once it is accepted once', async () => {
  const { signer, verifier } = fresh();
  const token = await signer.sign(auth, claims);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => verifier.verify(token, claims)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test.each([
  ['engine', 'iam'],
  ['method', 'GET'],
  ['path', '/graphql?x=1'],
  ['body', '{"query":"{ users }"}'],
] as const)('C2: it is refused for another %s, and that does not use it up', async (member, value) => {
  const { signer, verifier } = fresh();
  const token = await signer.sign(auth, claims);
  await expect(verifier.verify(token, { ...claims, [member]: value })).rejects.toMatchObject(refused);
  await expect(verifier.verify(token, { ...claims, body: Buffer.from(claims.body as string) })).resolves.toEqual(auth);
});

test('C2: after 30 seconds it is refused', async () => {
  const { signer, verifier } = fresh();
  const [early, late] = [await signer.sign(auth, claims), await signer.sign(auth, claims)];
  clock.advance(29_000);
  await expect(verifier.verify(early, claims)).resolves.toEqual(auth);
  clock.advance(1_000);
  await expect(verifier.verify(late, claims)).rejects.toMatchObject(refused);
});

test('C2: unsigned, empty and foreign tokens are refused', async () => {
  const { verifier } = fresh();
  const foreign = createContextSigner(otherRing, clock);
  for (const token of [
    undefined,
    '',
    'x',
    JSON.stringify(auth),
    Buffer.from(JSON.stringify(auth)).toString('base64'),
    await foreign.sign(auth, claims),
  ])
    await expect(verifier.verify(token, claims)).rejects.toMatchObject(refused);
});

test.each([
  ['without a tenant', { ...auth, tenant_id: undefined }],
  ['with an empty tenant', { ...auth, tenant_id: '' }],
  ['with null', { ...auth, tenant_id: null }],
  ['with an array', { ...auth, tenant_id: ['ten_1'] }],
  ['with an object', { ...auth, tenant_id: { $ne: '' } }],
  ['with an unknown role', { ...auth, role: 'root' }],
  ['with an unknown permission', { ...auth, permissions: ['everything:write'] }],
  ['with a further member', { ...auth, admin: true }],
])('A4: a context %s is refused, even under our own signature', async (_name, context) => {
  const { signer, verifier } = fresh();
  const token = await signer.sign(context as unknown as AuthContext, claims);
  await expect(verifier.verify(token, claims)).rejects.toMatchObject(refused);
});

test('a life of more than 30 seconds is refused', async () => {
  const { signer, verifier } = fresh();
  const genuine = await signer.sign(auth, claims);
  const payload = JSON.parse(Buffer.from(genuine.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
  const longer = await signJws(ring, 'palisade-context+jws', { ...payload, exp: (payload['exp'] as number) + 60 });
  await expect(verifier.verify(longer, claims)).rejects.toMatchObject(refused);
  await expect(verifier.verify(await signJws(ring, 'palisade-session+jws', payload), claims)).rejects.toMatchObject(refused);
});

test('the replay guard forgets what has expired, and refuses when it is full', () => {
  const guard = createReplayGuard(3);
  expect([1, 2, 3].map((n) => guard.claim(`jti${n}`, 130, 100))).toEqual([true, true, true]);
  expect(guard.claim('jti4', 130, 101)).toBe(false);
  expect(guard.claim('jti1', 130, 130)).toBe(false);
  expect(guard.claim('jti4', 161, 131)).toBe(true);
});
