import { createHash } from 'node:crypto';
import { passwordFault, PASSWORD_LENGTH } from '../../sign-in/passwords/rules.js';
import { auditLog } from '../../kit/audit/audit.js';
import { finishSignIn } from '../../sign-in/finish-sign-in.js';
import { homesOf } from '../../sign-in/homes.js';
import type { SecondStepResult } from '../../sign-in/login-result.js';
import { hashPassword } from '../../sign-in/password.js';
import { users } from '../../accounts/records.js';
import { sessions } from '../../accounts/session-record.js';
import { totpCode } from '../support/totp.js';
import { createWorld, PASSWORD, tokenOf, type World } from './world.js';

const EMAIL = 'ada.lovelace@analytical.example';
const fault = (password: string) => passwordFault(password, EMAIL);

describe('the rules for new passwords', () => {
  it.each([
    'correct horse battery staple',
    'twelve chars',
    'nur kleine buchstaben',
    'üñïçødé pässwörd',
    '密码太长了请再想一个好吗朋友',
    '🦊 over the lazy 🐶',
    'my palisade is made of oak',
    'Xk4-9vQ_mm2zR',
    '    spaces count    ',
  ])('take %p: no kind of character is asked for', (password) => {
    expect(fault(password)).toBeNull();
  });

  it('count characters after NFC, and cut nothing off', () => {
    expect(fault('a1b2c3d4e5f')).toBe('must have at least 12 characters');
    const composed = 'e\u0301'.repeat(4) + 'abc';
    expect(composed).toHaveLength(11);
    expect(fault(composed)).toBe('must have at least 12 characters');
    expect(fault('🦊🐶🐱🐭🐹🐰')).toBe('must have at least 12 characters');
    const longest = Array.from({ length: PASSWORD_LENGTH.most }, (_, n) => String.fromCharCode(97 + ((n * n + n) % 26))).join('');
    expect(fault(longest)).toBeNull();
    expect(fault(`${longest}x`)).toBe('must have at most 128 characters');
  });

  it.each([
    'password1234',
    'Password12345!',
    'qwertyuiop123',
    'iloveyou2024!',
    '1qaz2wsx3edc',
    'ADMINISTRATOR',
    'welcome12345',
    '!!dragon1999',
    'michael12345',
  ])('refuse %p: it is common, or a common one with something around it', (password) => {
    expect(fault(password)).toMatch(/guessed first/);
  });

  it.each([
    'aaaaaaaaaaaa',
    'abababababab',
    '123456789012',
    '098765432109',
    'abcdefghijklmnop',
    'qwertyuiopas',
    'tiger1tiger1tiger1',
    '111122223333',
  ])('refuse the pattern %p', (password) => {
    expect(fault(password)).toMatch(/guessed first/);
  });

  it.each(['palisade-2026', 'Palisade12345', 'lovelace1815!', 'ada.lovelace1', 'analytical123'])(
    'refuse %p: it says who or where',
    (password) => {
      expect(fault(password)).toMatch(/your address|guessed first/);
    },
  );
});

describe('changing the own password', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.close());

  const change = (token: string, body: object) => world.post('/api/auth/password/change', token, body);
  const NEW = 'eleven purple kettles';

  it('J4: ends every session at once, the one that asks too: it goes on under a new cookie', async () => {
    await world.member('ada@example.com', 'analyst');
    const [here, there] = [tokenOf(await world.signIn('ada@example.com')), tokenOf(await world.signIn('ada@example.com'))];
    expect((await world.whoami(there)).statusCode).toBe(200);
    const answer = await change(here, { current_password: PASSWORD, password: NEW });
    expect(answer.statusCode).toBe(204);
    const next = tokenOf(answer);
    expect(await Promise.all([here, there, next].map(async (token) => (await world.whoami(token)).statusCode))).toEqual([401, 401, 200]);
    expect((await world.signIn('ada@example.com')).statusCode).toBe(401);
    expect((await world.signIn('ada@example.com', NEW)).statusCode).toBe(200);
    const entries = await world.database.tenant(world.first.tenant_id).collection(auditLog).find({ action: 'user.password_change' });
    expect(entries).toMatchObject([{ actor_email: 'ada@example.com', result: 'success' }]);
    expect(JSON.stringify(entries)).not.toContain(NEW);
  });

  it('needs the present password, a good new one, and nothing else', async () => {
    await world.member('ada@example.com', 'analyst');
    const token = tokenOf(await world.signIn('ada@example.com'));
    for (const [body, path] of [
      [{ current_password: 'not this one', password: NEW }, 'current_password'],
      [{ current_password: PASSWORD, password: 'short' }, 'password'],
      [{ current_password: PASSWORD, password: 'password1234' }, 'password'],
      [{ current_password: PASSWORD, password: NEW, email: 'x' }, 'email'],
      [{ password: NEW }, 'current_password'],
    ] as const) {
      const answer = await change(token, body);
      expect([answer.statusCode, answer.json().detail[0].path]).toEqual([422, path]);
    }
    expect((await change('no session', { current_password: PASSWORD, password: NEW })).statusCode).toBe(401);
    expect((await world.whoami(token)).statusCode).toBe(200);
  });

  it('guesses of the present password are limited, and keep nobody from signing in', async () => {
    await world.member('ada@example.com', 'analyst');
    const token = tokenOf(await world.signIn('ada@example.com'));
    const guess = async (current_password: string) => (await change(token, { current_password, password: NEW })).statusCode;
    for (let times = 0; times < 10; times++) expect(await guess(`guess ${times}`)).toBe(422);
    expect(await guess(PASSWORD)).toBe(429);
    expect((await world.signIn('ada@example.com')).statusCode).toBe(200);
  });

  it('the same text in another composition is the same password', async () => {
    await world.member('ada@example.com', 'analyst');
    const token = tokenOf(await world.signIn('ada@example.com'));
    expect((await change(token, { current_password: PASSWORD, password: 'caf\u00e9 au lait, bitte' })).statusCode).toBe(204);
    expect((await world.signIn('ada@example.com', 'cafe\u0301 au lait, bitte')).statusCode).toBe(200);
    expect((await world.signIn('ada@example.com', 'cafe au lait, bitte')).statusCode).toBe(401);
  });

  it('a sign-in that has shown the password before is over, at whatever step it was', async () => {
    const ada = await world.member('ada@example.com', 'analyst');
    const boss = await world.member('boss@example.com', 'org_admin');
    const client = { ip_address: '192.0.2.1', user_agent: '' };
    /** Goes on with what was read of an account before its password changed. */
    const goOn = async (user: typeof ada) =>
      finishSignIn(world.auth.parts, client, {
        user,
        homes: await homesOf(world.auth.parts, user),
        method: 'password',
        second_factor: false,
        sso_tenant_id: null,
      });
    const password_hash = await hashPassword(NEW);
    for (const { _id } of [ada, boss]) await world.database.system(users).update({ _id }, { $set: { password_hash } });
    await expect(goOn(ada)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await world.database.system(sessions).count({})).toBe(0);
    // whoever knew the password sets up no second factor of their own on the way
    const { result } = await goOn(boss);
    const { challenge_id, totp } = result as SecondStepResult;
    const payload = { challenge_id, code: totpCode(totp!.secret, world.clock.now()) };
    expect(
      (await world.app.inject({ method: 'POST', url: '/api/auth/mfa/verify', payload, headers: { 'user-agent': '' } })).statusCode,
    ).toBe(401);
    expect(await world.database.system(users).findOne({ _id: boss._id })).toMatchObject({ mfa: 'none', last_login_at: null });
  });

  it('a link that resets a password lives one hour, and dies with the password that it was for', async () => {
    const [ada, bob] = [await world.member('ada@example.com', 'analyst'), await world.member('bob@example.com', 'analyst')];
    const versionOf = ({ password_hash }: typeof ada) => createHash('sha256').update(password_hash!).digest('base64url');
    const link = (user: typeof ada, changes: object = {}, purpose: 'invite' | 'password-reset' = 'password-reset') => {
      const claims = { subject: user._id, tenant_id: null, version: versionOf(user), ...changes };
      return world.auth.parts.links.issue(purpose, claims, new Date(world.clock.now().getTime() + 3_600_000));
    };
    const reset = async (token: string) =>
      (await world.app.inject({ method: 'POST', url: '/api/auth/password/reset', payload: { token, password: NEW } })).statusCode;
    const [first, second, late] = [await link(ada), await link(ada), await link(bob)];
    expect(await reset(await link(ada, {}, 'invite'))).toBe(422);
    expect(await reset(await link(ada, { version: 'of another password' }))).toBe(410);
    expect(await reset(await link(ada, { subject: 'usr_nobody' }))).toBe(410);
    world.clock.advance(3_600_000 - 1_000);
    expect(await reset(first)).toBe(204);
    expect(await reset(second)).toBe(410);
    world.clock.advance(1_000);
    expect(await reset(late)).toBe(410);
    expect(await reset(await link(bob))).toBe(204);
  });
});
