import Fastify from 'fastify';
import { redirectAfterSignIn } from '../../sign-in/redirect-after-sign-in.js';
import type { SignInOutcome } from '../../sign-in/finish-sign-in.js';
import type { SecondStepResult } from '../../sign-in/login-result.js';
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

const PAGE = '/auth/second-step';
const challengeOf = async (email: string): Promise<string> => (await world.signIn(email)).json().challenge_id as string;
const open = (challenge_id: string, return_to = '/gateway/docs') =>
  world.app.inject({ url: `${PAGE}?${new URLSearchParams({ challenge_id, return_to }).toString()}` });
const submit = (fields: Record<string, string>, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
  world.app.inject({
    method: 'POST',
    url: PAGE,
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
const withApp = { mfa: 'totp', totp_secret: TOTP_SECRET } as const;
const code = (secret = TOTP_SECRET) => totpCode(secret, world.clock.now());

describe('the page of the second step', () => {
  test('asks for the code, and goes on with the cookie to where the browser came for', async () => {
    await world.member('ada@example.com', 'org_admin', undefined, withApp);
    const challenge_id = await challengeOf('ada@example.com');
    const page = await open(challenge_id);
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'/);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.body).toContain('<input type="hidden" name="return_to" value="/gateway/docs">');
    expect(page.body).not.toMatch(/<script|e-mail|otpauth/);

    const wrong = await submit({ challenge_id, return_to: '/gateway/docs', step: 'verify', code: '000000' });
    expect(wrong.statusCode).toBe(401);
    expect(wrong.body).toContain('The code is wrong');
    const right = await submit({ challenge_id, return_to: '/gateway/docs', step: 'verify', code: code() });
    expect({ status: right.statusCode, location: right.headers['location'] }).toEqual({ status: 303, location: '/gateway/docs' });
    expect((await world.whoami(tokenOf(right))).statusCode).toBe(200);
  });

  test('sets up an authenticator app, and shows the recovery codes once', async () => {
    await world.member('olga@example.com', 'org_admin');
    const { challenge_id, totp } = (await world.signIn('olga@example.com')).json();
    const page = await open(challenge_id);
    expect(page.body).toContain(totp.secret.match(/.{4}/g).join(' '));
    expect(page.body).toContain(totp.otpauth_url.replaceAll('&', '&#38;'));
    const done = await submit({ challenge_id, return_to: '/', step: 'verify', code: code(totp.secret) });
    expect(done.statusCode).toBe(200);
    expect(done.body.match(/<li><code>[a-z2-7]{5}-[a-z2-7]{5}<\/code>/g)).toHaveLength(10);
    expect(done.headers['cache-control']).toBe('no-store');
    expect((await world.whoami(tokenOf(done))).statusCode).toBe(200);
    expect((await open(challenge_id)).statusCode).toBe(401);
  });

  test('asks again for a code that is blank, and charges no guess for it', async () => {
    await world.member('ada@example.com', 'org_admin', undefined, withApp);
    const challenge_id = await challengeOf('ada@example.com');
    for (let times = 0; times < 12; times++) {
      const blank = await submit({ challenge_id, return_to: '/', step: 'verify', code: '  ' });
      expect(blank.statusCode).toBe(422);
      expect(blank.body).toContain('Enter the code');
    }
    expect((await submit({ challenge_id, return_to: '/', step: 'verify', code: code() })).statusCode).toBe(303);
  });

  test('leads back to the sign-in when it is over, and tells programs so in the envelope', async () => {
    const url = `${PAGE}?challenge_id=none`;
    const page = await world.app.inject({ url, headers: { accept: 'text/html' } });
    expect([page.statusCode, page.body.includes('<a href="/auth/login">')]).toEqual([401, true]);
    expect((await world.app.inject({ url })).json()).toMatchObject({ error_code: 'UNAUTHENTICATED' });
  });

  test('tells when to try again after too many guesses', async () => {
    await world.member('ada@example.com', 'viewer', undefined, withApp);
    const guess = async (challenge_id: string) => submit({ challenge_id, return_to: '/', step: 'verify', code: '000000' });
    for (let signIns = 0; signIns < 2; signIns++) {
      const challenge_id = await challengeOf('ada@example.com');
      for (let times = 0; times < 5; times++) await guess(challenge_id);
    }
    const refused = await guess(await challengeOf('ada@example.com'));
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('mails a code on demand', async () => {
    await world.member('mia@example.com', 'viewer', undefined, { mfa: 'email' });
    const challenge_id = await challengeOf('mia@example.com');
    const sent = await submit({ challenge_id, return_to: '/', step: 'send' });
    expect(sent.statusCode).toBe(200);
    expect(sent.body).toContain('The code is on its way');
    const right = await submit({ challenge_id, return_to: '/', step: 'verify', code: mail.codeFor('mia@example.com') });
    expect(right.statusCode).toBe(303);
  });

  test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)'])('never goes to %s', async (target) => {
    await world.member('ada@example.com', 'viewer', undefined, withApp);
    const challenge_id = await challengeOf('ada@example.com');
    expect((await open(challenge_id, target)).body).toContain('name="return_to" value="/">');
    expect((await submit({ challenge_id, return_to: target, step: 'verify', code: code() })).headers['location']).toBe('/');
  });

  test('takes forms of its own origin alone', async () => {
    await world.member('ada@example.com', 'viewer', undefined, withApp);
    const fields = { challenge_id: await challengeOf('ada@example.com'), return_to: '/', step: 'verify', code: code() };
    expect((await submit(fields, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403);
    expect((await submit(fields, { origin: 'https://evil.example' })).statusCode).toBe(403);
    expect((await submit(fields, {})).statusCode).toBe(403);
    expect((await submit(fields, { origin: 'http://localhost:80' })).statusCode).toBe(303);
  });

  test('puts nothing of its address into the page unescaped', async () => {
    const page = await open('"><script>alert(1)</script>', '/"><script>');
    expect(page.body).not.toContain('<script>');
  });
});

describe('after a sign-in, a browser', () => {
  const answered = async (outcome: SignInOutcome, publicUrl?: string) => {
    const app = Fastify();
    app.get('/', (_request, reply) =>
      redirectAfterSignIn({ publicUrl, devices: world.auth.parts.devices }, reply, outcome, '/somewhere?a=b'),
    );
    return app.inject({ url: '/', headers: { host: 'localhost:8000' } });
  };
  const complete = {
    status: 'ok',
    user: { user_id: 'u', email: 'e', name: 'n' },
    tenant: { tenant_id: 't', name: 'n', organization_id: 'o' },
    role: 'viewer',
  } as const;

  test('goes on with the cookie', async () => {
    const { statusCode, headers } = await answered({ result: complete, token: 'a.b.c', remembrance: null }, 'https://palisade.example.com');
    expect(statusCode).toBe(302);
    expect(headers['location']).toBe('/somewhere?a=b');
    expect(headers['set-cookie']).toBe('access_token=a.b.c; Path=/; HttpOnly; SameSite=Lax; Secure');
  });

  test('goes to the second step without one', async () => {
    const result: SecondStepResult = { status: 'mfa_required', challenge_id: 'c h', methods: ['totp'], expires_in: 600 };
    const { statusCode, headers } = await answered({ result, token: null, remembrance: null });
    expect(statusCode).toBe(302);
    expect(headers['location']).toBe('/auth/second-step?challenge_id=c+h&return_to=%2Fsomewhere%3Fa%3Db');
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['referrer-policy']).toBe('no-referrer');
  });
});
