import { auditLog } from '../../kit/audit/audit.js';
import { mailedCodes, secondSteps } from '../../accounts/factors/records.js';
import { memberships, tenants, users, type UserRow } from '../../accounts/records.js';
import { addMembership } from '../../accounts/seed.js';
import { sessions } from '../../accounts/session-record.js';
import { newRecoveryCodes } from '../../accounts/factors/recovery-codes.js';
import { openMailCatcher, type MailCatcher } from '../support/mail-catcher.js';
import { TOTP_SECRET, totpCode } from '../support/totp.js';
import { createWorld, tokenOf, type World } from './world.js';

let mail: MailCatcher;
let world: World;
beforeAll(async () => {
  mail = await openMailCatcher();
});
afterAll(() => mail.close());
beforeEach(async () => {
  world = await createWorld({ smtpUrl: mail.url });
});
afterEach(async () => {
  world.auth.parts.mailer.close();
  await world.close();
});

const WITH_TOTP = { mfa: 'totp', totp_secret: TOTP_SECRET } as const;
const post = (path: string, payload: object, headers: Record<string, string> = {}) =>
  world.app.inject({ method: 'POST', url: path, payload, headers });
const verify = (challenge_id: string, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  post('/api/auth/mfa/verify', { challenge_id, code, ...more }, headers);
const send = (challenge_id: string) => post('/api/auth/mfa/send', { challenge_id });
const challengeOf = async (email: string): Promise<string> => (await world.signIn(email)).json().challenge_id as string;
const code = (steps = 0, secret = TOTP_SECRET) => totpCode(secret, world.clock.now(), steps);
const setPolicy = (mfa_policy: 'all' | 'admins' | 'none', tenant = world.first) =>
  world.database.system(tenants).update({ _id: tenant.tenant_id }, { $set: { mfa_policy } });
const entries = async (action: string) =>
  (
    await world.database
      .tenant(world.first.tenant_id)
      .collection(auditLog)
      .find({ action }, { sort: { seq: 1 } })
  ).map(({ actor_email, result, detail }) => ({ actor_email, result, detail }));
const stored = async (user: { _id: string }): Promise<UserRow> => (await world.database.system(users).findOne({ _id: user._id }))!;

describe('a second step', () => {
  test.each(['org_admin', 'platform_admin', 'viewer'] as const)(
    'is asked of a %s with an authenticator app; the right code signs in',
    async (role) => {
      const user = await world.member('ada@example.com', role, undefined, WITH_TOTP);
      const asked = await world.signIn('ada@example.com');
      expect(asked.statusCode).toBe(200);
      expect(asked.headers['set-cookie']).toBeUndefined();
      expect(asked.json()).toEqual({
        status: 'mfa_required',
        challenge_id: expect.stringMatching(/^[\w-]{32}$/),
        methods: ['totp'],
        expires_in: 600,
      });
      expect(await world.database.system(sessions).count({})).toBe(0);
      expect((await stored(user)).last_login_at).toBeNull();

      const done = await verify(asked.json().challenge_id, code());
      expect(done.statusCode).toBe(200);
      expect(done.json()).toMatchObject({ status: 'ok', user: { user_id: user._id }, role });
      expect(done.json()).not.toHaveProperty('recovery_codes');
      expect(done.headers['cache-control']).toBe('no-store');
      expect((await world.whoami(tokenOf(done))).json()).toMatchObject({ role, tenant_id: world.first.tenant_id });
      expect(await entries('user.login')).toEqual([
        { actor_email: 'ada@example.com', result: 'success', detail: { method: 'password', second_factor: 'totp' } },
      ]);
      expect(await world.database.system(secondSteps).count({})).toBe(0);
    },
  );

  test('is asked for only after the right password', async () => {
    await world.member('ada@example.com', 'org_admin', undefined, WITH_TOTP);
    const wrong = await world.signIn('ada@example.com', 'wrong');
    expect(wrong.statusCode).toBe(401);
    expect(wrong.body).toBe((await world.signIn('nobody@example.com', 'wrong')).body);
  });

  test('takes codes of the step before, this one and the next, each step once and never an older one', async () => {
    await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    const answers = [];
    for (const steps of [-2, -1, -1, 0, -1, 0, 2, 1, 1])
      answers.push([steps, (await verify(await challengeOf('ada@example.com'), code(steps))).statusCode]);
    expect(answers).toEqual([
      [-2, 401],
      [-1, 200],
      [-1, 401],
      [0, 200],
      [-1, 401],
      [0, 401],
      [2, 401],
      [1, 200],
      [1, 401],
    ]);
  });

  test('takes a code once, however many sign-ins show it at the same time', async () => {
    await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    const challenges = await Promise.all([1, 2, 3, 4].map(() => challengeOf('ada@example.com')));
    const answers = await Promise.all(challenges.map((id) => verify(id, code())));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401]);
    expect(await world.database.system(sessions).count({})).toBe(1);
  });

  test('is over when it succeeded, when ten minutes have passed, after five wrong codes, and for another browser', async () => {
    await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    const used = await challengeOf('ada@example.com');
    expect((await verify(used, code(-1))).statusCode).toBe(200);
    const old = await challengeOf('ada@example.com');
    world.clock.advance(10 * 60_000);
    const tried = await challengeOf('ada@example.com');
    for (let i = 0; i < 5; i++) expect((await verify(tried, '000000')).statusCode).toBe(401);
    const elsewhere = await challengeOf('ada@example.com');

    const refusals = [
      await verify(used, code()),
      await verify(old, code()),
      await verify(tried, code()),
      await verify(elsewhere, code(), {}, { 'user-agent': 'another' }),
      await verify('no-such-sign-in', code()),
      await verify(elsewhere, '111111'),
    ];
    for (const { statusCode, body, headers } of refusals) {
      expect({ statusCode, body }).toEqual({ statusCode: 401, body: refusals[0]!.body });
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect((await verify(elsewhere, code())).statusCode).toBe(200);
  });

  test('notes a wrong code in the audit log', async () => {
    await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    await verify(await challengeOf('ada@example.com'), '000000');
    expect(await entries('user.login')).toEqual([
      { actor_email: 'ada@example.com', result: 'failure', detail: { reason: 'second_factor' } },
    ]);
  });

  test('does not outlive the account, the membership or the factor', async () => {
    const user = await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    const id = await challengeOf('ada@example.com');
    const rows = world.database.system(users);
    await rows.update({ _id: user._id }, { $set: { state: 'disabled' } });
    expect((await verify(id, code())).statusCode).toBe(401);
    await rows.update({ _id: user._id }, { $set: { state: 'active', mfa: 'none' } });
    expect((await verify(id, code())).statusCode).toBe(401);
    await rows.update({ _id: user._id }, { $set: { mfa: 'totp' } });
    const membership = (await world.database.system(memberships).findOne({ user_id: user._id }))!;
    await world.database.system(memberships).remove({ _id: membership._id });
    expect((await verify(id, code())).statusCode).toBe(401);
    await world.database.system(memberships).insert(membership);
    expect((await verify(id, code())).statusCode).toBe(200);
  });

  test.each([
    ['no code', { challenge_id: 'x' }, 'code'],
    ['an object for the code', { challenge_id: 'x', code: { $ne: '' } }, 'code'],
    ['another member', { challenge_id: 'x', code: '1', role: 'org_admin' }, 'role'],
    ['a method of none', { challenge_id: 'x', code: '1', method: 'none' }, 'method'],
  ])('refuses a body with %s', async (_name, body, path) => {
    const response = await post('/api/auth/mfa/verify', body);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail[0].path).toBe(path);
  });

  test('takes no code from another site', async () => {
    await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    const id = await challengeOf('ada@example.com');
    expect((await verify(id, code(), {}, { origin: 'https://evil.example' })).statusCode).toBe(403);
    expect((await verify(id, code(), {}, { origin: 'http://localhost:80' })).statusCode).toBe(200);
  });
});

describe('recovery codes', () => {
  test('stand in for the factor once each, and their use is audited', async () => {
    const user = await world.member('ada@example.com', 'org_admin', undefined, WITH_TOTP);
    const { codes, hashes } = newRecoveryCodes(world.masterKey, user._id);
    await world.database.system(users).update({ _id: user._id }, { $set: { recovery_codes: hashes } });
    const asked = (await world.signIn('ada@example.com')).json();
    expect(asked.methods).toEqual(['totp', 'recovery']);
    expect((await verify(asked.challenge_id, codes[0]!.toUpperCase(), { method: 'totp' })).statusCode).toBe(401);
    expect((await verify(asked.challenge_id, codes[0]!.toUpperCase().replace('-', ' '))).statusCode).toBe(200);
    expect((await verify(await challengeOf('ada@example.com'), codes[0]!)).statusCode).toBe(401);
    expect((await verify(await challengeOf('ada@example.com'), codes[1]!, { method: 'recovery' })).statusCode).toBe(200);
    expect(await entries('mfa.recovery_use')).toEqual([
      { actor_email: 'ada@example.com', result: 'success', detail: { left: 9 } },
      { actor_email: 'ada@example.com', result: 'success', detail: { left: 8 } },
    ]);
    expect((await stored(user)).recovery_codes).toEqual(hashes.slice(2));
  });

  test("one user's are worth nothing for another", async () => {
    const user = await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    const { codes } = newRecoveryCodes(world.masterKey, 'usr_other');
    const { hashes } = newRecoveryCodes(world.masterKey, user._id);
    await world.database.system(users).update({ _id: user._id }, { $set: { recovery_codes: hashes } });
    expect((await verify(await challengeOf('ada@example.com'), codes[0]!)).statusCode).toBe(401);
  });
});

describe('codes by e-mail', () => {
  const begin = async (email = 'mia@example.com') => {
    const user = await world.member(email, 'analyst', undefined, { mfa: 'email' });
    return { user, id: await challengeOf(email) };
  };

  test('are mailed when asked for, and sign in once', async () => {
    const { user, id } = await begin();
    const sent = await send(id);
    expect({ status: sent.statusCode, body: sent.json() }).toEqual({ status: 200, body: { expires_in: 600 } });
    const mailed = mail.codeFor('mia@example.com');
    const row = await world.database.system(mailedCodes).findOne({ _id: user._id });
    expect(JSON.stringify(row)).not.toContain(mailed);
    expect((await verify(id, mailed)).json()).toMatchObject({ status: 'ok', role: 'analyst' });
    expect((await verify(await challengeOf('mia@example.com'), mailed)).statusCode).toBe(401);
  });

  test('count for the sign-in that they were sent for, for ten minutes, and only the newest', async () => {
    const { id } = await begin();
    await send(id);
    const first = mail.codeFor('mia@example.com');
    expect((await verify(await challengeOf('mia@example.com'), first)).statusCode).toBe(401);
    await send(id);
    const second = mail.codeFor('mia@example.com');
    expect((await verify(id, first)).statusCode).toBe(401);
    world.clock.advance(9 * 60_000 + 59_000);
    expect((await verify(id, second)).statusCode).toBe(200);
    const late = await challengeOf('mia@example.com');
    await send(late);
    world.clock.advance(10 * 60_000);
    expect((await verify(late, mail.codeFor('mia@example.com'))).statusCode).toBe(401);
  });

  test('are mailed five times in a quarter of an hour, whatever sign-in asks', async () => {
    const { id } = await begin();
    const ids = [id, await challengeOf('mia@example.com')];
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => send(ids[i % 2]!)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = answers.find(({ statusCode }) => statusCode === 429)!;
    expect(refused.headers['retry-after']).toBe('900');
    world.clock.advance(15 * 60_000);
    expect((await send(await challengeOf('mia@example.com'))).statusCode).toBe(200);
  });

  test('are not mailed to who has an authenticator app, nor for a sign-in that is over', async () => {
    await world.member('ada@example.com', 'viewer', undefined, WITH_TOTP);
    expect((await send(await challengeOf('ada@example.com'))).statusCode).toBe(422);
    expect((await send('no-such-sign-in')).statusCode).toBe(401);
    expect(mail.mails.filter(({ to }) => to === 'ada@example.com')).toEqual([]);
  });

  test('are a 503 without a mail server, which is offered to nobody', async () => {
    const plain = await createWorld();
    await plain.member('mia@example.com', 'analyst', undefined, { mfa: 'email' });
    await plain.member('ada@example.com', 'org_admin');
    const { challenge_id } = (await plain.signIn('mia@example.com')).json();
    const answer = await plain.app.inject({ method: 'POST', url: '/api/auth/mfa/send', payload: { challenge_id } });
    expect(answer.statusCode).toBe(503);
    expect((await plain.signIn('ada@example.com')).json()).toMatchObject({ status: 'mfa_enrollment_required', methods: ['totp'] });
    await plain.close();
  });
});

describe('who has to show a second factor and has none', () => {
  test('sets up an authenticator app on the way, gets ten recovery codes, and is asked for it from then on', async () => {
    const user = await world.member('olga@example.com', 'org_admin');
    const asked = await world.signIn('olga@example.com');
    expect(asked.headers['set-cookie']).toBeUndefined();
    const { challenge_id, totp, ...rest } = asked.json();
    expect(rest).toEqual({ status: 'mfa_enrollment_required', methods: ['totp', 'email'], expires_in: 600 });
    expect(totp.otpauth_url).toBe(`otpauth://totp/Palisade:olga%40example.com?secret=${totp.secret}&issuer=Palisade`);
    expect(JSON.stringify(await world.database.system(secondSteps).find({}))).not.toContain(totp.secret);

    expect((await verify(challenge_id, '000000')).statusCode).toBe(401);
    expect((await stored(user)).mfa).toBe('none');
    const done = await verify(challenge_id, code(0, totp.secret));
    expect(done.json()).toMatchObject({ status: 'ok', role: 'org_admin' });
    expect(done.json().recovery_codes).toHaveLength(10);
    expect((await world.whoami(tokenOf(done))).statusCode).toBe(200);
    const row = await stored(user);
    expect(row.mfa).toBe('totp');
    expect(JSON.stringify(row)).not.toContain(totp.secret);
    expect(JSON.stringify(row)).not.toContain(done.json().recovery_codes[0].replace('-', ''));
    expect(await entries('mfa.enroll')).toEqual([
      { actor_email: 'olga@example.com', result: 'success', detail: { from: 'none', to: 'totp' } },
    ]);

    const again = (await world.signIn('olga@example.com')).json();
    expect(again).toMatchObject({ status: 'mfa_required', methods: ['totp', 'recovery'] });
    expect((await verify(again.challenge_id, code(0, totp.secret))).statusCode).toBe(401);
    expect((await verify(again.challenge_id, code(1, totp.secret))).statusCode).toBe(200);
    expect((await verify(await challengeOf('olga@example.com'), done.json().recovery_codes[0])).statusCode).toBe(200);
  });

  test('may choose codes by e-mail', async () => {
    const user = await world.member('olga@example.com', 'org_admin');
    const id = await challengeOf('olga@example.com');
    expect((await send(id)).statusCode).toBe(200);
    const done = await verify(id, mail.codeFor('olga@example.com'), { method: 'email' });
    expect(done.json().recovery_codes).toHaveLength(10);
    expect((await stored(user)).mfa).toBe('email');
  });

  test('sets up one factor, however many sign-ins were begun', async () => {
    await world.member('olga@example.com', 'org_admin');
    const begun = [(await world.signIn('olga@example.com')).json(), (await world.signIn('olga@example.com')).json()];
    const answers = await Promise.all(begun.map(({ challenge_id, totp }) => verify(challenge_id, code(0, totp.secret))));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
    expect((await entries('mfa.enroll')).length).toBe(1);
  });
});

describe("a tenant's policy", () => {
  const CASES = [
    ['none', 'tenant_admin', 'ok'],
    ['admins', 'tenant_admin', 'mfa_enrollment_required'],
    ['admins', 'analyst', 'ok'],
    ['all', 'viewer', 'mfa_enrollment_required'],
    ['none', 'org_admin', 'mfa_enrollment_required'],
    ['none', 'platform_admin', 'mfa_enrollment_required'],
  ] as const;
  test.each(CASES)('"%s" asks a %s: %s', async (policy, role, status) => {
    await setPolicy(policy);
    await world.member('ada@example.com', role);
    expect((await world.signIn('ada@example.com')).json().status).toBe(status);
  });

  test('ends at once the sessions that have not shown what it asks for, refresh included', async () => {
    await world.member('viewer@example.com', 'viewer');
    const shown = await world.sessionOf(await world.member('shown@example.com', 'viewer'));
    const token = tokenOf(await world.signIn('viewer@example.com'));
    await setPolicy('admins');
    expect((await world.whoami(token)).statusCode).toBe(200);
    await setPolicy('all');
    expect((await world.whoami(token)).statusCode).toBe(401);
    expect((await world.post('/api/auth/refresh', token)).statusCode).toBe(401);
    expect((await world.whoami(shown)).statusCode).toBe(200);
    await setPolicy('none');
    expect((await world.whoami(token)).statusCode).toBe(200);
  });

  test('is kept when a session goes over to the tenant', async () => {
    const user = await world.member('ada@example.com', 'analyst');
    await addMembership(world.seed, { tenant_id: world.second.tenant_id, user, role: 'viewer' });
    await setPolicy('all', world.second);
    const token = tokenOf(await world.signIn('ada@example.com'));
    const refused = await world.post('/api/auth/switch-tenant', token, { tenant_id: world.second.tenant_id });
    expect(refused.statusCode).toBe(403);
    expect(refused.json().message).toMatch(/asks for a second factor/);
    const shown = await world.sessionOf(user);
    expect((await world.post('/api/auth/switch-tenant', shown, { tenant_id: world.second.tenant_id })).statusCode).toBe(200);
  });

  test('of the home with the widest role decides, where there are several', async () => {
    const user = await world.member('ada@example.com', 'viewer');
    await addMembership(world.seed, { tenant_id: world.second.tenant_id, user, role: 'tenant_admin' });
    await setPolicy('all');
    expect((await world.signIn('ada@example.com')).json()).toMatchObject({ status: 'ok', tenant: { tenant_id: world.second.tenant_id } });
    await setPolicy('admins', world.second);
    const asked = (await world.signIn('ada@example.com')).json();
    const done = await verify(asked.challenge_id, code(0, asked.totp.secret));
    expect(done.json()).toMatchObject({ tenant: { tenant_id: world.second.tenant_id }, role: 'tenant_admin' });
  });
});
