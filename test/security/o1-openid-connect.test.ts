import { oauthStates } from '../../sign-in/oauth/states.js';
import { Browser, type Page } from '../support/browser.js';
import { verified } from '../support/domains.js';
import type { Mischief } from '../support/hostile-provider.js';
import { accept, GOOD_PASSWORD, invited } from '../support/invitations.js';
import { arrive, openOauthWorld, signIn, tenantWith, whoIs, type OauthWorld } from '../support/oauth.js';
import type { Client } from '../support/world.js';

// servers of its own, with other processes beside them
jest.setTimeout(600_000);

let world: OauthWorld;
let url: string;
let id: string;
let admin: Client;
beforeAll(async () => {
  world = await openOauthWorld();
  url = world.own.servers[0]!.url;
  ({ id, admin } = await tenantWith(world.own, world.hostile.issuer, {}, { allowed_domains: ['tenant.com'] }));
});
afterEach(() => {
  world.hostile.mischief = {};
});
afterAll(() => world.close());

/** A sign-in while the provider does `mischief`. */
async function attempt(mischief: Mischief, email = 'person@tenant.com') {
  world.hostile.mischief = mischief;
  const result = await signIn(url, { tenant_id: id, email });
  world.hostile.mischief = {};
  return result;
}

async function expectRefused({ browser, page }: { browser: Browser; page: Page }, status: number): Promise<void> {
  expect(page.status).toBe(status);
  expect(page.headers.getSetCookie().join()).not.toContain('access_token');
  expect(await whoIs(browser, url)).toBe(401);
  // nothing of the library, the provider or the token reaches the person
  expect(page.text).not.toMatch(/jwt|nonce|stack|eyJ|127\.0\.0\.1|OAUTH_/i);
}

/** The honest sign-in beside each refusal: the way is right, only the lie is refused. */
async function expectHonestSignIn(): Promise<void> {
  const { browser, page } = await attempt({});
  expect(page.status).toBe(302);
  expect(await whoIs(browser, url)).toMatchObject({ email: 'person@tenant.com', tenant_id: id });
}

const now = () => Math.floor(Date.now() / 1000);
type Claims = Record<string, unknown>;
const claims = (changes: Claims): Mischief => ({ claims: (honest) => ({ ...honest, ...changes }) });

/** Cases whose answer comes from the provider: what it does, and the status of the refusal. */
const LIES: Record<string, [Mischief, number]> = {
  'an id_token with alg none': [{ signature: 'none' }, 400],
  'an id_token with alg None': [{ signature: 'none', header: { alg: 'None' } }, 400],
  'an id_token without its signature': [{ signature: 'stripped' }, 400],
  'an id_token by another key': [{ signature: 'other key' }, 400],
  'an id_token by another key with an unknown kid': [{ signature: 'other key', header: { kid: 'two' } }, 400],
  'an id_token keyed with the client secret': [{ signature: 'client secret' }, 400],
  'an id_token keyed with the public key': [{ signature: 'public key' }, 400],
  'an id_token that brings its own key': [{ signature: 'other key', header: { jku: 'http://127.0.0.1:9/', jwk: {} } }, 400],
  'an id_token with an unknown critical header': [{ header: { crit: ['x'], x: 1 } }, 400],
  'another nonce': [claims({ nonce: 'another' }), 400],
  'no nonce': [claims({ nonce: undefined }), 400],
  'another issuer': [claims({ iss: 'https://evil.example' }), 400],
  'another audience': [claims({ aud: 'another-client' }), 400],
  'several audiences and another authorized party': [claims({ aud: ['palisade-test', 'another'], azp: 'another' }), 400],
  'an expired id_token': [{ claims: (honest) => ({ ...honest, iat: now() - 900, exp: now() - 600 }) }, 400],
  'an id_token of the future': [claims({ nbf: now() + 600 }), 400],
  'an id_token without expiry': [claims({ exp: undefined }), 400],
  'an id_token without subject': [claims({ sub: undefined }), 400],
  'no id_token': [{ withoutIdToken: true }, 400],
  'another iss beside the code': [{ answer: (answer) => answer.set('iss', 'https://evil.example') }, 400],
  'an error beside the code': [{ answer: (answer) => answer.set('error', 'login_required') }, 403],
  'an id_token beside the code': [{ answer: (answer) => answer.set('id_token', 'x.y.z') }, 400],
  'two codes': [{ answer: (answer) => answer.append('code', 'another') }, 400],
  'a token endpoint that redirects': [{ token: 'redirect' }, 400],
  'a token endpoint that refuses the code': [{ token: 400 }, 400],
  'a token endpoint that fails': [{ token: 500 }, 503],
  'a token endpoint that answers without end': [{ token: 'flood' }, 503],
  'no address': [{ claims: ({ email: _, ...rest }) => rest }, 400],
  'an address that is not verified': [claims({ email_verified: false }), 403],
  'an address of which nothing is said': [claims({ email_verified: undefined }), 403],
  'an address that is verified as a text': [claims({ email_verified: 'true' }), 403],
  'an address whose verification is said for Microsoft alone': [claims({ email_verified: undefined, xms_edov: true }), 403],
  'an address that becomes another one in lower case': [claims({ email: '\u212aate@tenant.com' }), 403],
  'an address that is a list': [claims({ email: ['person@tenant.com'] }), 403],
  'userinfo of another subject': [
    { claims: ({ email: _, ...rest }) => rest, userInfo: { sub: 'another', email: 'person@tenant.com', email_verified: true } },
    400,
  ],
  'a verified flag that stands elsewhere than the address': [
    { claims: ({ email: _, ...rest }) => rest, userInfo: { sub: 'sub-of-person@tenant.com', email: 'person@tenant.com' } },
    403,
  ],
};

const FOREIGN_ADDRESSES = [
  'a@tenant.com.evil.com',
  'a@sub.tenant.com',
  'a@eviltenant.com',
  'a@evil.com@tenant.com',
  'a@tenant.com@evil.com',
  'a@tenant.com\u0000.evil.com',
  'a@tenant.com\n',
  '"a@tenant.com"@evil.com',
  'a@tenant.com.',
  'a@tenаnt.com',
  'tenant.com',
  '',
];

describe('O1', () => {
  it.each(Object.entries(LIES))('%s signs in nobody', async (_name, [mischief, status]) => {
    await expectRefused(await attempt(mischief), status);
    await expectHonestSignIn();
  });

  it.each(FOREIGN_ADDRESSES)('the address %j is not of an allowed domain', async (email) => {
    await expectRefused(await attempt(claims({ email })), 403);
  });

  it.each(['PERSON@TENANT.COM', 'person@Tenant.com'])('the address %j is', async (email) => {
    const { browser, page } = await attempt(claims({ email }));
    expect(page.status).toBe(302);
    expect(await whoIs(browser, url)).toMatchObject({ email: 'person@tenant.com' });
  });

  it("takes no address of another organization's domain, whatever the provider says of it, and its owner stays free to come", async () => {
    const { id: other, admin: owner, tenant } = await tenantWith(world.own, world.hostile.issuer);
    await verified(world.own, tenant.tenant, 'victim.example');
    const settings = { oauth: { enabled: true, issuer: world.hostile.issuer, client_id: 'palisade-test', allowed_domains: [] } };
    expect((await admin.call('/api/v1/settings/sso', { method: 'PUT', body: settings })).status).toBe(200);
    const { token } = await invited(owner, 'newhire@victim.example');
    const taken = await attempt({}, 'newhire@victim.example');
    await expectRefused(taken, 403);
    expect(taken.page.text).toContain('has not verified the domain victim.example');
    const log = await admin.call<{ items: { detail: unknown }[] }>('/api/v1/audit-logs?action=user.login');
    expect(log.body.items[0]).toMatchObject({ detail: { method: 'oidc', reason: 'domain_unverified' } });
    const allowed = { oauth: { ...settings.oauth, allowed_domains: ['tenant.com', 'victim.example'] } };
    const refused = await admin.call('/api/v1/settings/sso', { method: 'PUT', body: allowed });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('victim.example is no verified domain')]);
    expect((await accept(world.own.anonymous, { token, password: GOOD_PASSWORD })).status).toBe(200);
    const { browser } = await signIn(url, { tenant_id: other, email: 'newhire@victim.example' });
    expect(await whoIs(browser, url)).toMatchObject({ email: 'newhire@victim.example', tenant_id: other });
    const honest = { oauth: { ...settings.oauth, allowed_domains: ['tenant.com'] } };
    expect((await admin.call('/api/v1/settings/sso', { method: 'PUT', body: honest })).status).toBe(200);
  });

  it('a state that is missing, foreign, doubled or changed signs in nobody', async () => {
    const browser = new Browser();
    const genuine = new URL(await arrive(browser, url, { tenant_id: id, email: 'person@tenant.com' }));
    const state = genuine.searchParams.get('state')!;
    const changed: ((query: URLSearchParams) => void)[] = [
      (query) => query.delete('state'),
      (query) => query.set('state', ''),
      (query) => query.set('state', 'x'.repeat(43)),
      (query) => query.set('state', `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`),
      (query) => query.append('state', state),
      (query) => query.set('state', '{"$ne":""}'),
    ];
    for (const change of changed) {
      const answer = new URL(genuine);
      change(answer.searchParams);
      await expectRefused({ browser, page: await browser.ask(answer.href) }, 400);
    }
    expect((await browser.ask(genuine.href)).status).toBe(302);
  });

  it("another browser's answer signs in nobody, and is worth nothing after that", async () => {
    const attacker = new Browser();
    const answer = await arrive(attacker, url, { tenant_id: id, email: 'attacker@tenant.com' });
    const victim = new Browser();
    await expectRefused({ browser: victim, page: await victim.ask(answer) }, 400);
    // not even in a browser that has begun a sign-in of its own
    const second = await arrive(attacker, url, { tenant_id: id, email: 'attacker@tenant.com' });
    const own = await arrive(victim, url, { tenant_id: id, email: 'victim@tenant.com' });
    await expectRefused({ browser: victim, page: await victim.ask(second) }, 400);
    expect((await victim.ask(own)).status).toBe(302);
    await expectRefused({ browser: attacker, page: await attacker.ask(second) }, 400);
  });

  it('an answer at another redirect URI, or at that of another tenant, signs in nobody', async () => {
    const other = await tenantWith(world.own, world.hostile.issuer, {}, { callback: 'tenant' });
    for (const path of [`/api/auth/oauth/${id}/callback`, `/api/auth/oauth/${other.id}/callback`]) {
      const browser = new Browser();
      const answer = await arrive(browser, url, { tenant_id: id, email: 'person@tenant.com' });
      await expectRefused({ browser, page: await browser.ask(answer.replace('/auth/oauth/callback', path)) }, 400);
    }
  });

  it('a code is of use once, and for the sign-in that it was given to', async () => {
    const { id: honest } = await tenantWith(world.own, world.honest.issuer);
    const code = (address: string) => new URL(address).searchParams.get('code')!;
    const withCode = (address: string, value: string) => {
      const changed = new URL(address);
      changed.searchParams.set('code', value);
      return changed.href;
    };
    const thief = new Browser();
    const victim = new Browser();
    const stolen = await arrive(victim, url, { tenant_id: honest, email: 'victim@example.com' });
    // the code of the victim's sign-in belongs to the victim's PKCE verifier
    const own = await arrive(thief, url, { tenant_id: honest, email: 'thief@example.com' });
    await expectRefused({ browser: thief, page: await thief.ask(withCode(own, code(stolen))) }, 400);

    const person = new Browser();
    const first = await arrive(person, url, { tenant_id: honest, email: 'ada@example.com' });
    expect((await person.ask(first)).status).toBe(302);
    expect((await person.ask(first)).status).toBe(400);
    const again = new Browser();
    const second = await arrive(again, url, { tenant_id: honest, email: 'ada@example.com' });
    await expectRefused({ browser: again, page: await again.ask(withCode(second, code(first))) }, 400);
    await expectRefused({ browser: again, page: await again.ask(second) }, 400);
  });

  it('an answer that comes after ten minutes signs in nobody', async () => {
    const browser = new Browser();
    const answer = await arrive(browser, url, { tenant_id: id, email: 'person@tenant.com' });
    const rows = world.own.database.system(oauthStates);
    expect(await rows.count({ tenant_id: id })).toBeGreaterThan(0);
    await rows.updateMany({ tenant_id: id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    await expectRefused({ browser, page: await browser.ask(answer) }, 400);
  });

  it('metadata of another issuer, without keys or with an address that is no https target is not used', async () => {
    const metadata: [Record<string, unknown>, number][] = [
      [{ issuer: 'https://evil.example' }, 400],
      [{ jwks_uri: undefined }, 400],
      [{ token_endpoint: undefined }, 400],
      [{ authorization_endpoint: 'javascript:alert(1)' }, 400],
      [{ authorization_endpoint: 'http://10.0.0.1/authorize' }, 400],
    ];
    for (const [changed, status] of metadata) {
      const fresh = await tenantWith(world.own, world.hostile.issuer);
      world.hostile.mischief = { metadata: changed };
      const answer = await world.own.anonymous.call(`/auth/oauth/login?tenant_id=${fresh.id}`);
      world.hostile.mischief = {};
      expect([answer.status, answer.headers.get('location')]).toEqual([status, null]);
      const honest = await world.own.anonymous.call(`/auth/oauth/login?tenant_id=${fresh.id}`);
      expect(honest.status).toBe(302);
    }
  });

  it('endpoints in networks that are not allowed are not called', async () => {
    const fresh = await tenantWith(world.own, world.hostile.issuer);
    world.hostile.mischief = { metadata: { token_endpoint: 'http://169.254.169.254/token' } };
    const { page } = await signIn(url, { tenant_id: fresh.id });
    expect(page.status).toBe(503);
  });

  it('what is sent to the provider is a fresh state, nonce and S256 challenge each time, and no secret', async () => {
    const sent = async () => new URL((await world.own.anonymous.call(`/auth/oauth/login?tenant_id=${id}`)).headers.get('location')!);
    const [one, two] = [await sent(), await sent()];
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(one.searchParams.get(name)).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name));
    }
    expect(Object.fromEntries(one.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: `${url}/auth/oauth/callback`,
    });
    expect(one.href).not.toContain('secret');
  });

  it('a refusal is noted in the log of the tenant with its reason', async () => {
    await attempt(claims({ email_verified: false }));
    const { body } = await admin.call<{ items: { result: string; detail: unknown }[] }>('/api/v1/audit-logs?action=user.login');
    expect(body.items[0]).toMatchObject({ result: 'failure', detail: { method: 'oidc', reason: 'email_not_verified' } });
  });
});
