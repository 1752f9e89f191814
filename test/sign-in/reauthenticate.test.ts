import { auditLog } from '../../kit/audit/audit.js';
import { sessions } from '../../accounts/session-record.js';
import { TOTP_SECRET, totpCode } from '../support/totp.js';
import { createWorld, PASSWORD, tokenOf, type World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const MINUTE = 60_000;
const PATH = '/api/auth/reauthenticate';
/** How the engines are told that the proof is too old; undefined while it counts. */
const asked = async (token: string) => (await world.whoami(token)).json<{ reauthenticate?: object }>().reauthenticate;
const entries = async () =>
  (
    await world.database
      .tenant(world.first.tenant_id)
      .collection(auditLog)
      .find({ action: 'user.reauthenticate' }, { sort: { seq: 1 } })
  ).map(({ result, detail }) => [result, detail]);

async function signedIn() {
  await world.member('ada@example.com', 'tenant_admin');
  return tokenOf(await world.signIn('ada@example.com'));
}

test('a sign-in counts as a proof for 15 minutes, and so does the password given again, under the same cookie', async () => {
  const token = await signedIn();
  world.clock.advance(15 * MINUTE - 1);
  expect(await asked(token)).toBeUndefined();
  world.clock.advance(1);
  expect(await asked(token)).toEqual({ method: 'password', second_factor: false, url: PATH });
  const answer = await world.post(PATH, token, { password: PASSWORD });
  expect(answer.json()).toEqual({ status: 'ok', authenticated_at: world.clock.now().toISOString(), expires_in: 900 });
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect(await asked(token)).toBeUndefined();
  world.clock.advance(15 * MINUTE);
  expect(await asked(token)).toBeDefined();
  expect(await entries()).toEqual([['success', { second_factor: null }]]);
});

test('a refresh and a switch of the tenant prove nothing; a change of the password does', async () => {
  const token = await signedIn();
  world.clock.advance(16 * MINUTE);
  const refreshed = tokenOf(await world.post('/api/auth/refresh', token));
  expect(await asked(refreshed)).toBeDefined();
  const body = { current_password: PASSWORD, password: 'another phrase of this test' };
  expect(await asked(tokenOf(await world.post('/api/auth/password/change', refreshed, body)))).toBeUndefined();
});

test('a session of a release that kept no time of proof has it with its sign-in', async () => {
  const token = await signedIn();
  await world.database.system(sessions).update({}, { $set: { authenticated_at: null } });
  expect(await asked(token)).toBeUndefined();
  world.clock.advance(16 * MINUTE);
  expect(await asked(token)).toBeDefined();
});

test('a wrong password proves nothing, is audited, and ends after ten, also for the right one', async () => {
  const token = await signedIn();
  world.clock.advance(16 * MINUTE);
  for (let i = 0; i < 10; i++) {
    const answer = await world.post(PATH, token, { password: 'wrong' });
    expect([answer.statusCode, answer.json<{ detail: unknown }>().detail]).toEqual([
      422,
      [{ path: 'password', message: 'is not your password' }],
    ]);
  }
  expect((await world.post(PATH, token, { password: PASSWORD })).statusCode).toBe(429);
  expect(await asked(token)).toBeDefined();
  expect(await entries()).toEqual(Array<unknown>(10).fill(['failure', { reason: 'password' }]));
  // who is signed out is not hindered by it
  expect((await world.signIn('ada@example.com')).statusCode).toBe(200);
});

test('who has a second factor shows it as well, each code once', async () => {
  const user = await world.member('root@example.com', 'tenant_admin', undefined, { mfa: 'totp', totp_secret: TOTP_SECRET });
  const token = await world.sessionOf(user);
  world.clock.advance(16 * MINUTE);
  expect(await asked(token)).toEqual({ method: 'password', second_factor: true, url: PATH });
  expect((await world.post(PATH, token, { password: PASSWORD })).json()).toEqual({ status: 'mfa_required', methods: ['totp'] });
  expect(await asked(token)).toBeDefined();
  const wrong = await world.post(PATH, token, { password: PASSWORD, code: '000000' });
  expect([wrong.statusCode, wrong.json<{ detail: { path: string }[] }>().detail[0]!.path]).toEqual([422, 'code']);
  const code = totpCode(TOTP_SECRET, world.clock.now());
  expect((await world.post(PATH, token, { password: 'wrong', code })).statusCode).toBe(422);
  expect((await world.post(PATH, token, { password: PASSWORD, code })).json()).toMatchObject({ status: 'ok' });
  expect(await asked(token)).toBeUndefined();
  expect((await world.post(PATH, token, { password: PASSWORD, code })).statusCode).toBe(422);
});

test.each([
  ['saml', 'saml'],
  ['oidc', 'oauth'],
] as const)('who has come through %s is sent there, and cannot do it with a password', async (method, path) => {
  const token = await signedIn();
  await world.database.system(sessions).update({}, { $set: { method, sso_tenant_id: world.first.tenant_id } });
  world.clock.advance(16 * MINUTE);
  const reauthenticate = {
    method: 'sso',
    second_factor: false,
    url: `/auth/${path}/login?tenant_id=${world.first.tenant_id}&reauthenticate=1`,
  };
  expect(await asked(token)).toEqual(reauthenticate);
  const answer = await world.post(PATH, token, { password: PASSWORD });
  expect(answer.statusCode).toBe(401);
  expect(answer.json()).toMatchObject({ detail: { reauthenticate } });
});

test('it takes a session, our own origin and a body of its schema', async () => {
  const token = await signedIn();
  expect((await world.app.inject({ method: 'POST', url: PATH, payload: { password: PASSWORD } })).statusCode).toBe(401);
  expect((await world.post(PATH, token, { password: PASSWORD }, { origin: 'https://evil.example' })).statusCode).toBe(403);
  expect((await world.post(PATH, token, { password: PASSWORD, session_id: 'x' })).statusCode).toBe(422);
  expect((await world.post(PATH, token, {})).statusCode).toBe(422);
});
