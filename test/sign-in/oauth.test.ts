import type { UserRow } from '../../accounts/records.js';
import { Browser } from '../support/browser.js';
import { link } from '../support/domains.js';
import { arrive, openOauthWorld, signIn, tenantWith, whoIs, type OauthWorld } from '../support/oauth.js';

// servers of its own, with other processes beside them
jest.setTimeout(600_000);

let world: OauthWorld;
let url: string;
beforeAll(async () => {
  world = await openOauthWorld();
  url = world.own.servers[0]!.url;
});
afterAll(() => world.close());

/** Links a person's own account to the subject that the provider that lies gives their address. */
const join = (tenantId: string, user: UserRow) => link(world.own, tenantId, world.hostile.issuer, `sub-of-${user.email}`, user);

const mappings = [
  { group: 'everyone', role: 'analyst', priority: 20 },
  { group: 'admins', role: 'tenant_admin', priority: 10 },
];

describe('a sign-in through an OpenID provider', () => {
  it('makes the account at the first time, with the role of its best group, and goes where the person wanted', async () => {
    const { id, admin } = await tenantWith(world.own, world.honest.issuer, { group_mappings: mappings });
    const { browser, page } = await signIn(url, { tenant_id: id, email: 'ada@example.com', return_to: '/gateway/docs?x=1' });
    expect([page.status, page.headers.get('location')]).toEqual([302, '/gateway/docs?x=1']);
    expect(page.headers.getSetCookie().join()).toMatch(/access_token=[^;]+; Path=\/; HttpOnly; SameSite=Lax/);
    expect(await whoIs(browser, url)).toMatchObject({ email: 'ada@example.com', name: 'Ada Lovelace', role: 'analyst', tenant_id: id });
    const { text } = await admin.call('/api/v1/audit-logs?action=user.login');
    expect(text).toContain('"method":"oidc"');

    const again = await signIn(url, { tenant_id: id, email: 'ada@example.com', return_to: '//evil.example' });
    expect(again.page.headers.get('location')).toBe('/');
    const people = await admin.call<{ items: { email: string }[] }>('/api/v1/users');
    expect(people.body.items.filter(({ email }) => email === 'ada@example.com')).toHaveLength(1);
  });

  it('follows the groups at the next sign-in, the highest priority first', async () => {
    const { id, admin } = await tenantWith(world.own, world.honest.issuer, { group_mappings: mappings });
    const { browser } = await signIn(url, { tenant_id: id, email: 'admin-1@example.com' });
    expect(await whoIs(browser, url)).toMatchObject({ role: 'tenant_admin' });
    await admin.call('/api/v1/settings/sso', { method: 'PUT', body: { group_mappings: [mappings[0]] } });
    const next = await signIn(url, { tenant_id: id, email: 'admin-1@example.com' });
    expect(await whoIs(next.browser, url)).toMatchObject({ role: 'analyst' });
    await admin.call('/api/v1/settings/sso', { method: 'PUT', body: { group_mappings: [], default_role: null } });
    const blocked = await signIn(url, { tenant_id: id, email: 'admin-1@example.com' });
    expect([blocked.page.status, await whoIs(blocked.browser, url)]).toEqual([403, 401]);
    expect((await admin.call('/api/v1/audit-logs?action=user.login')).text).toContain('"reason":"account"');
  });

  it('may begin at one process and end at another', async () => {
    const { id } = await tenantWith(world.own, world.honest.issuer);
    const browser = new Browser();
    const callback = await arrive(browser, url, { tenant_id: id, email: 'grace@example.com' });
    const other = world.own.servers[1]!.url;
    const page = await browser.ask(callback.replace(url, other));
    expect(page.status).toBe(302);
    expect(await whoIs(browser, url)).toMatchObject({ email: 'grace@example.com', tenant_id: id });
    // and once only, at either of them
    for (const place of [url, other]) expect((await new Browser().ask(callback.replace(url, place))).status).toBe(400);
  });

  it('proves anew who the person is: it asks the provider to, believes its auth_time, and ends the session before', async () => {
    const { id } = await tenantWith(world.own, world.hostile.issuer, { default_role: 'tenant_admin' });
    const before = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60;
    const change = async (browser: Browser) =>
      (await browser.ask(`${url}/api/v1/webhooks/none`, { method: 'DELETE', headers: { origin: url } })).status;
    world.hostile.mischief = { claims: (claims) => ({ ...claims, auth_time: before(120) }) };
    const { browser } = await signIn(url, { tenant_id: id, email: 'proof@example.com' });
    expect(await change(browser)).toBe(401);

    const query = new URLSearchParams({ tenant_id: id, email: 'proof@example.com', reauthenticate: '1' }).toString();
    const again = async () => {
      const begun = new URL((await browser.ask(`${url}/auth/oauth/login?${query}`)).headers.get('location')!);
      expect([begun.searchParams.get('prompt'), begun.searchParams.get('max_age')]).toEqual(['login', '0']);
      return browser.ask((await browser.ask(begun.href)).headers.get('location')!);
    };
    expect((await again()).status).toBe(403);
    expect(await change(browser)).toBe(401);
    world.hostile.mischief = { claims: (claims) => ({ ...claims, auth_time: before(0) }) };
    expect((await again()).status).toBe(302);
    expect(await change(browser)).toBe(404);
    world.hostile.mischief = {};
  });

  it('ends at most once when the answer comes several times at once', async () => {
    const { id, admin } = await tenantWith(world.own, world.hostile.issuer);
    const browser = new Browser();
    const callback = await arrive(browser, url, { tenant_id: id, email: 'once@example.com' });
    const other = callback.replace(url, world.own.servers[1]!.url);
    const pages = await Promise.all(Array.from({ length: 8 }, (_, n) => browser.ask(n % 2 ? callback : other)));
    expect(pages.map(({ status }) => status).sort()).toEqual([302, ...Array<number>(7).fill(400)]);
    const { body } = await admin.call<{ total: number }>('/api/v1/audit-logs?action=user.login&result=success');
    expect(body.total).toBe(1);
  });

  it('finds the tenant by the address, of whomever, where its organization has verified the domain', async () => {
    const { id } = await tenantWith(world.own, world.hostile.issuer, {}, { allowed_domains: ['Only-Here.example'] });
    const { browser } = await signIn(url, { email: 'Stranger@only-here.example' });
    expect(await whoIs(browser, url)).toMatchObject({ email: 'stranger@only-here.example', tenant_id: id });
    const ask = (query: string) => world.own.anonymous.call(`/auth/oauth/login?${query}`);
    expect((await ask('email=nobody@only-here.example')).status).toBe(302);
    const refused = await ask('email=somebody@elsewhere.example');
    expect(refused.status).toBe(404);
    for (const query of ['email=nobody@sub.only-here.example', 'tenant_id=absent', 'email=x', '', `email=${'a'.repeat(300)}@b.example`]) {
      const answer = await ask(query);
      expect([answer.status, answer.text]).toEqual([404, refused.text]);
    }
  });

  it('chooses among the tenants of the organization the one that the address has an account in, else the one that names the domain', async () => {
    const first = await tenantWith(world.own, world.hostile.issuer, {}, { allowed_domains: ['several.example'] });
    const sister = await world.own.tenant(first.tenant.tenant.organization_id);
    const body = {
      oauth: { enabled: true, issuer: world.hostile.issuer, client_id: 'palisade-test', client_secret: 'x' },
      default_role: 'viewer',
    };
    await (await sister.as('org_admin')).call('/api/v1/settings/sso', { method: 'PUT', body });
    const led = async (email: string) => (await world.own.anonymous.call(`/auth/oauth/login?email=${email}`)).status;
    expect(await led('new@several.example')).toBe(302);
    await signIn(url, { tenant_id: sister.tenant._id, email: 'member@several.example' });
    const { browser } = await signIn(url, { email: 'member@several.example' });
    expect(await whoIs(browser, url)).toMatchObject({ tenant_id: sister.tenant._id });
    await first.admin.call('/api/v1/settings/sso', { method: 'PUT', body });
    expect(await led('new@several.example')).toBe(404);
  });

  it('works through the redirect URI of the tenant', async () => {
    const { id } = await tenantWith(world.own, world.hostile.issuer, {}, { callback: 'tenant' });
    const browser = new Browser();
    const own = `${url}/api/auth/oauth/${id}/callback`;
    const { target } = await browser.go(`${url}/auth/oauth/login?tenant_id=${id}&email=own-callback@example.com`, own);
    expect((await browser.ask(target!)).status).toBe(302);
    expect(await whoIs(browser, url)).toMatchObject({ tenant_id: id });
    expect(world.hostile.asked.at(-1)!.get('redirect_uri')).toBe(own);
  });

  it('counts two factors of the provider as a second factor, and one as none', async () => {
    const { id, tenant } = await tenantWith(world.own, world.hostile.issuer);
    const admin = await tenant.as('org_admin');
    await join(id, admin.user!);
    const { browser } = await signIn(url, { tenant_id: id, email: admin.user!.email });
    expect(await whoIs(browser, url)).toMatchObject({ role: 'org_admin' });
    world.hostile.mischief = { claims: (claims) => ({ ...claims, amr: ['pwd'] }) };
    const single = await signIn(url, { tenant_id: id, email: admin.user!.email });
    world.hostile.mischief = {};
    expect(await whoIs(single.browser, url)).toBe(401);
  });

  it('signs in nobody above tenant_admin through a provider that a tenant_admin has set', async () => {
    const { id, tenant, admin } = await tenantWith(world.own, world.hostile.issuer);
    const owner = await tenant.as('org_admin');
    await join(id, owner.user!);
    const body = { oauth: { enabled: true, issuer: world.hostile.issuer, client_id: 'palisade-test-2', client_secret: 'another' } };
    expect((await (await tenant.as('tenant_admin')).call('/api/v1/settings/sso', { method: 'PUT', body })).status).toBe(200);
    world.hostile.mischief = { claims: (claims) => ({ ...claims, aud: 'palisade-test-2' }) };
    const refused = await signIn(url, { tenant_id: id, email: owner.user!.email });
    expect([refused.page.status, await whoIs(refused.browser, url)]).toEqual([403, 401]);
    expect((await admin.call('/api/v1/settings/sso', { method: 'PUT', body })).status).toBe(200);
    const { browser } = await signIn(url, { tenant_id: id, email: owner.user!.email });
    world.hostile.mischief = {};
    expect(await whoIs(browser, url)).toMatchObject({ role: 'org_admin' });
  });

  it('reads what the ID token leaves out from the userinfo endpoint', async () => {
    const { id } = await tenantWith(world.own, world.hostile.issuer, { group_mappings: mappings });
    const without = ({ email: _e, email_verified: _v, groups: _g, ...rest }: Record<string, unknown>) => rest;
    const userInfo = { sub: 'sub-of-thin@example.com', email: 'thin@example.com', email_verified: true, groups: ['admins'] };
    world.hostile.mischief = { claims: without, userInfo };
    const { browser } = await signIn(url, { tenant_id: id, email: 'thin@example.com' });
    world.hostile.mischief = {};
    expect(await whoIs(browser, url)).toMatchObject({ email: 'thin@example.com', role: 'tenant_admin' });
  });

  it('tells the person when the provider does not want, and when it is away', async () => {
    const { id } = await tenantWith(world.own, world.honest.issuer);
    const denied = await signIn(url, { tenant_id: id, email: 'denied@example.com' });
    expect([denied.page.status, denied.page.text]).toEqual([403, expect.stringContaining('refused the sign-in')]);
    expect(denied.page.text).not.toContain('<b>');
    const gone = await tenantWith(world.own, 'http://127.0.0.1:9');
    const answer = await world.own.anonymous.call(`/auth/oauth/login?tenant_id=${gone.id}`);
    expect([answer.status, answer.body]).toEqual([503, expect.objectContaining({ error_code: 'UPSTREAM_UNAVAILABLE' })]);
    const page = await new Browser().ask(`${url}/auth/oauth/login?tenant_id=${gone.id}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  });

  it('is refused when the settings have changed since it began', async () => {
    const { id, admin } = await tenantWith(world.own, world.hostile.issuer);
    const browser = new Browser();
    const begun = [await arrive(browser, url, { tenant_id: id }), await arrive(browser, url, { tenant_id: id })];
    const set = (oauth: Record<string, unknown>) =>
      admin.call('/api/v1/settings/sso', {
        method: 'PUT',
        body: { oauth: { enabled: true, issuer: world.hostile.issuer, client_id: 'palisade-test', ...oauth } },
      });
    await set({ enabled: false });
    expect((await browser.ask(begun[0]!)).status).toBe(400);
    await set({ client_id: 'another', client_secret: 'x' });
    expect((await browser.ask(begun[1]!)).status).toBe(400);
  });
});

describe('a test sign-in', () => {
  it('works before the provider is enabled, makes no session, and verifies an administrator', async () => {
    const { id, admin } = await tenantWith(world.own, world.hostile.issuer, { group_mappings: mappings }, { enabled: false });
    expect((await world.own.anonymous.call(`/auth/oauth/login?tenant_id=${id}`)).status).toBe(404);
    const settings = async () =>
      (await admin.call<{ last_test: Record<string, unknown>; verified_at: string | null }>('/api/v1/settings/sso')).body;
    const test = async (email: string) => {
      const browser = new Browser();
      const first = await browser.ask(`${url}/auth/oauth/login?test=1&email=${email}`, { headers: { cookie: admin.cookie! } });
      const bound = /sign_in_browser=[^;]+/.exec(first.headers.getSetCookie().join())![0];
      const { target } = await browser.go(first.headers.get('location')!, `${url}/auth/oauth/callback`);
      return browser.ask(target!, { headers: { cookie: bound } });
    };
    const plain = await test('tester@example.com');
    expect([plain.status, plain.headers.getSetCookie()]).toEqual([200, []]);
    expect(plain.text).toContain('tester@example.com');
    expect(await settings()).toMatchObject({
      verified_at: null,
      last_test: { ok: true, kind: 'oauth', role: 'analyst', groups: ['everyone'] },
    });

    world.hostile.mischief = { claims: (claims) => ({ ...claims, email_verified: false }) };
    expect((await test('tester@example.com')).text).toContain('has not verified the e-mail address');
    expect(await settings()).toMatchObject({ verified_at: null, last_test: { ok: false, role: null } });

    world.hostile.mischief = { claims: (claims) => ({ ...claims, groups: ['admins'] }) };
    await test('tester@example.com');
    world.hostile.mischief = {};
    expect(await settings()).toMatchObject({ verified_at: expect.any(String) as string, last_test: { ok: true, role: 'tenant_admin' } });
    expect((await admin.call<{ items: { email: string }[] }>('/api/v1/users')).text).not.toContain('tester@example.com');
    const { body } = await admin.call<{ items: { result: string }[] }>('/api/v1/audit-logs?action=sso.test');
    expect(body.items.map(({ result }) => result)).toEqual(['success', 'failure', 'success']);
  });

  it('is for those who may set the provider', async () => {
    const { id, tenant } = await tenantWith(world.own, world.hostile.issuer);
    const ask = (client: { call: typeof world.own.anonymous.call }, query = 'test=1') => client.call(`/auth/oauth/login?${query}`);
    expect((await ask(world.own.anonymous)).status).toBe(401);
    expect((await ask(await tenant.as('analyst'))).status).toBe(403);
    expect((await ask(await tenant.as('tenant_admin'))).status).toBe(302);
    expect((await ask(await (await world.own.tenant()).as('tenant_admin'), `test=1&tenant_id=${id}`)).status).toBe(404);
  });
});
