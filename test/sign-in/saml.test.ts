import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { provision } from '../../sign-in/sso/provision.js';
import { serviceProvider } from '../../sign-in/saml/service-provider.js';
import { auditLog } from '../../kit/audit/audit.js';
import { memberships, tenants, users, type UserRow } from '../../accounts/records.js';
import { sessions } from '../../accounts/session-record.js';
import { ssoSettings } from '../../accounts/providers/records.js';
import { link } from '../support/domains.js';
import { selfSigned } from '../support/certificates.js';
import { encode, readAuthnRequest, signedResponse, type ResponseFacts } from '../support/saml-idp.js';
import { Browser, post, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const me = async (browser: Browser) => (await browser.get('/api/v1/users/me')).json() as Promise<Record<string, unknown>>;

/** Signs in with `changes` to the honest answer. */
async function signIn(tenant: SamlTenant, changes: Partial<ResponseFacts> = {}, browser = new Browser(world.url)) {
  const request = await tenant.begin(browser);
  return { browser, request, ...(await post(browser, request.acsUrl, tenant.answer(request, changes))) };
}
/** Links the own account of a person to the provider's name for them, their address. */
const join = (tenant: SamlTenant, user: UserRow) => link(world, tenant.id, tenant.provider, user.email, user);
/** A browser with the session of a client. */
const browserOf = (client: Client) => new Browser(world.url).take(client.cookie!);

describe('the request', () => {
  it('goes by redirect, asks for the response by POST and an e-mail address, and names the tenant', async () => {
    const tenant = await samlTenant(world);
    const response = await new Browser(world.url).get(`/auth/saml/login?tenant_id=${tenant.id}`);
    expect(response.status).toBe(302);
    const location = response.headers.get('location')!;
    expect(location).toMatch(/^https:\/\/idp\.test\/sso\?from=palisade&SAMLRequest=/);
    expect(new URL(location).searchParams.has('RelayState')).toBe(false);
    const { xml, ...request } = readAuthnRequest(location);
    const base = `${world.url}/api/auth/saml/${tenant.id}`;
    expect(request).toMatchObject({
      issuer: `${base}/metadata/`,
      acsUrl: `${base}/acs/`,
      destination: 'https://idp.test/sso?from=palisade',
    });
    expect(request.id).toMatch(/^_[0-9a-f]{40}$/);
    expect(xml).toContain('ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"');
    expect(xml).toContain('Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"');
    expect(response.headers.getSetCookie()[0]).toMatch(/Max-Age=600; Path=\/; HttpOnly; SameSite=Lax/);
  });

  it('finds the tenant by any address of a domain that its organization has verified, and by no other', async () => {
    const tenant = await samlTenant(world);
    const ask = (email: string) => new Browser(world.url).get(`/auth/saml/login?${new URLSearchParams({ email }).toString()}`);
    const response = await ask(`anybody@${tenant.domain}`);
    expect(readAuthnRequest(response.headers.get('location')!).issuer).toContain(tenant.id);
    expect((await ask((await tenant.as('viewer')).user!.email)).status).toBe(404);
  });

  it('tells unknown tenants, tenants without SAML and unknown addresses by nothing', async () => {
    const [none, off] = [await world.tenant(), await samlTenant(world, {}, { enabled: false })];
    const answers = await Promise.all(
      [`tenant_id=${none.tenant._id}`, `tenant_id=${off.id}`, 'tenant_id=ten_unknown', 'email=nobody@nowhere.example'].map(
        async (query) => {
          const response = await new Browser(world.url).get(`/auth/saml/login?${query}`);
          return { status: response.status, text: await response.text() };
        },
      ),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]!.status).toBe(404);
  });

  it('asks for an address where nothing tells the tenant', async () => {
    const response = await new Browser(world.url).get('/auth/saml/login?return_to=/x');
    expect([response.status, response.headers.get('location')]).toEqual([302, '/auth/login/organization?return_to=%2Fx']);
  });
});

describe('metadata', () => {
  it('is the same for every id, and names the addresses of requests', async () => {
    const tenant = await samlTenant(world);
    for (const id of [tenant.id, 'ten_unknown']) {
      const { status, text, headers } = await world.anonymous.call(`/api/auth/saml/${id}/metadata/`);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
      expect(text).toContain(`entityID="${world.url}/api/auth/saml/${id}/metadata/"`);
      expect(text).toContain(`Location="${world.url}/api/auth/saml/${id}/acs/"`);
      expect(text).toContain('WantAssertionsSigned="true"');
    }
    const shared = await world.anonymous.call('/auth/saml/metadata');
    expect(shared.text).toContain(`Location="${world.url}/auth/saml/callback"`);
    expect((await world.anonymous.call('/api/auth/saml/%22%3E%3Cx/metadata/')).status).toBe(404);
  });
});

describe('signing in through SAML', () => {
  it('ends on the page asked for, with a session and an audit entry of the tenant', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(world.url);
    const request = await tenant.begin(browser, { return_to: '/gateway/docs' });
    const { finished } = await post(
      browser,
      request.acsUrl,
      tenant.answer(request, { attributes: { firstName: 'Ada', lastName: 'Byron' } }),
    );
    expect([finished!.status, finished!.headers.get('location')]).toEqual([302, '/gateway/docs']);
    expect(finished!.headers.getSetCookie().find((line) => line.startsWith('access_token='))).toMatch(/HttpOnly; SameSite=Lax/);
    expect(await me(browser)).toMatchObject({ email: `ada@${tenant.domain}`, name: 'Ada Byron', role: 'viewer' });
    const [session] = await world.database.system(sessions).find({ sso_tenant_id: tenant.id });
    expect(session).toMatchObject({ method: 'saml', second_factor: false, tenant_id: tenant.id });
    const log = await world.database.tenant(tenant.id).collection(auditLog).find({ action: 'user.login' });
    expect(log).toMatchObject([{ actor_email: `ada@${tenant.domain}`, result: 'success', detail: { method: 'saml' } }]);
  });

  it('gives its session at once to a browser that shows, with the response, that it began the sign-in', async () => {
    const tenant = await samlTenant(world);
    const [browser, other] = [new Browser(world.url), new Browser(world.url)];
    const request = await tenant.begin(browser, { return_to: '/gateway/docs' });
    const posted = await browser.postFromSameSite(request.acsUrl, { SAMLResponse: encode(tenant.answer(request)) });
    expect([posted.status, posted.headers.get('location')]).toEqual([302, '/gateway/docs']);
    expect(await me(browser)).toMatchObject({ role: 'viewer' });
    // another browser's own cookie does not do
    const second = await tenant.begin(browser);
    await tenant.begin(other);
    const stolen = await other.postFromSameSite(second.acsUrl, { SAMLResponse: encode(tenant.answer(second)) });
    expect(stolen.headers.get('location')).toMatch(/^\/auth\/saml\/finish\?code=/);
    expect((await other.get(stolen.headers.get('location')!)).status).toBe(400);
    expect(other.session).toBeUndefined();
  });

  it('takes the shared addresses where the provider knows the deployment by them', async () => {
    const tenant = await samlTenant(world, {}, { service_provider: 'untenanted' });
    const { browser, request } = await signIn(tenant);
    expect([request.issuer, request.acsUrl]).toEqual([`${world.url}/auth/saml/metadata`, `${world.url}/auth/saml/callback`]);
    expect(await me(browser)).toMatchObject({ role: 'viewer' });
  });

  it('maps groups at every sign-in, the lowest number first', async () => {
    const group_mappings = [
      { group: 'admins', role: 'tenant_admin', priority: 1 },
      { group: 'staff', role: 'analyst', priority: 5 },
    ] as const;
    const tenant = await samlTenant(world, { group_mappings, default_role: null });
    const other = await signIn(tenant, { nameId: `bea@${tenant.domain}`, attributes: { memberOf: 'admins' } });
    expect(await me(other.browser)).toMatchObject({ role: 'tenant_admin' });
    for (const [groups, role] of [
      [['staff', 'admins', 'x'], 'tenant_admin'],
      [['staff'], 'analyst'],
    ] as const) {
      const { browser } = await signIn(tenant, { attributes: { groups } });
      expect(await me(browser)).toMatchObject({ role });
    }
    const { finished, browser } = await signIn(tenant, { attributes: { groups: ['x'] } });
    expect([finished!.status, browser.session]).toEqual([403, undefined]);
    const log = await world.database.tenant(tenant.id).collection(auditLog).find({ action: 'user.login', result: 'failure' });
    expect(log).toMatchObject([{ actor_email: `ada@${tenant.domain}`, detail: { method: 'saml' } }]);
  });

  it('leaves the last administrator one, whatever the groups say', async () => {
    const tenant = await samlTenant(world, { group_mappings: [{ group: 'admins', role: 'tenant_admin', priority: 1 }] });
    await signIn(tenant, { attributes: { groups: 'admins' } });
    expect(await me((await signIn(tenant)).browser)).toMatchObject({ role: 'tenant_admin' });
    await signIn(tenant, { nameId: `bea@${tenant.domain}`, attributes: { groups: 'admins' } });
    expect(await me((await signIn(tenant)).browser)).toMatchObject({ role: 'viewer' });
  });

  it('takes the second factor from the AuthnContext', async () => {
    const tenant = await samlTenant(world);
    await signIn(tenant, { context: 'https://refeds.org/profile/mfa' });
    const [session] = await world.database.system(sessions).find({ sso_tenant_id: tenant.id });
    expect(session!.second_factor).toBe(true);
  });

  it('holds with two certificates while the provider changes its own', async () => {
    const next = selfSigned();
    const keys = selfSigned();
    const tenant = await samlTenant(world, {}, { keys, certificates: [keys.certificate, next.certificate] });
    for (const { privateKey: key } of [keys, next]) {
      const browser = new Browser(world.url);
      const request = await tenant.begin(browser);
      const { finished } = await post(browser, request.acsUrl, signedResponse(tenant.facts(request), 'both', { key }));
      expect(finished!.status).toBe(302);
    }
  });

  it('takes no answer for an address that a request has given itself', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(world.url);
    const request = await tenant.begin(browser);
    const elsewhere = serviceProvider('http://elsewhere.example', tenant.id, 'tenant');
    const { acs_url: recipient, entity_id: audience } = elsewhere;
    const xml = tenant.answer(request, { recipient, destination: recipient, audience });
    const headers = { host: 'elsewhere.example', 'content-type': 'application/x-www-form-urlencoded' };
    const sent = httpRequest(request.acsUrl, { method: 'POST', headers });
    sent.end(new URLSearchParams({ SAMLResponse: encode(xml) }).toString());
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(400);
    const shown = httpRequest(`${world.url}/auth/saml/metadata`, { headers: { host: 'elsewhere.example' } }).end();
    expect(await text(((await once(shown, 'response')) as [IncomingMessage])[0])).not.toContain('elsewhere');
  });

  it('shows a browser a page and anybody else the envelope, and neither the reason', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(world.url);
    const request = await tenant.begin(browser);
    const body = new URLSearchParams({ SAMLResponse: Buffer.from(tenant.answer(request, { audience: 'elsewhere' })).toString('base64') });
    const page = await fetch(request.acsUrl, { method: 'POST', body, headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await page.text()).not.toMatch(/audience|elsewhere/);
    const envelope = await (await fetch(request.acsUrl, { method: 'POST', body })).json();
    expect(envelope).toMatchObject({ page: 'gateway', error_code: 'BAD_REQUEST', detail: null });
    const [entry] = await world.database.tenant(tenant.id).collection(auditLog).find({ action: 'user.login', result: 'failure' });
    expect(entry!.detail).toMatchObject({ method: 'saml', reason: expect.stringContaining('audience') });
  });
});

describe('whom a provider signs in', () => {
  it('an account of its own beside the one that a member has, and the same person after a change of address', async () => {
    const tenant = await samlTenant(world);
    const viewer = await tenant.as('viewer');
    const email = `viewer@${tenant.domain}`;
    await world.database.system(users).update({ _id: viewer.user!._id }, { $set: { email } });
    const { browser } = await signIn(tenant, { nameId: 'staff-1@x.example', attributes: { email } });
    const { user_id } = await me(browser);
    expect(user_id).not.toBe(viewer.user!._id);
    const again = await signIn(tenant, { nameId: 'staff-1@x.example', attributes: { email: 'new@x.example' } });
    expect(await me(again.browser)).toMatchObject({ user_id, email });
  });

  it('nobody by the address of somebody who has come under another name, until that one was removed', async () => {
    const tenant = await samlTenant(world);
    const email = `ada@${tenant.domain}`;
    const first = await me((await signIn(tenant)).browser);
    const renamed = { nameId: `mallory@${tenant.domain}`, attributes: { email } };
    const { browser, finished } = await signIn(tenant, renamed);
    expect([finished!.status, browser.session]).toEqual([403, undefined]);
    const remove = await (await tenant.as('tenant_admin')).call(`/api/v1/users/${String(first['user_id'])}`, { method: 'DELETE' });
    expect(remove.status).toBe(204);
    expect(await me((await signIn(tenant, renamed)).browser)).toMatchObject({ email, user_id: first['user_id'] });
  });

  it("nobody of another organization, and none of the operator's staff", async () => {
    const [tenant, foreign] = [await samlTenant(world), await world.tenant()];
    const stranger = (await foreign.as('viewer')).user!;
    expect((await signIn(tenant, { nameId: stranger.email })).finished!.status).toBe(403);
    const staff = (await tenant.as('viewer')).user!;
    await world.database.system(users).update({ _id: staff._id }, { $set: { organization_id: null } });
    expect((await signIn(tenant, { nameId: staff.email })).finished!.status).toBe(403);
  });

  it('an org_admin only where one has set it, and with a second factor', async () => {
    const tenant = await samlTenant(world);
    const { user } = await tenant.as('org_admin');
    await join(tenant, user!);
    const attempt = async (set_by_org_admin: boolean) => {
      await world.database.tenant(tenant.id).collection(ssoSettings).update({}, { $set: { set_by_org_admin } });
      return signIn(tenant, { nameId: user!.email, context: 'https://refeds.org/profile/mfa' });
    };
    expect((await attempt(false)).finished!.status).toBe(403);
    const { browser } = await attempt(true);
    expect(await me(browser)).toMatchObject({ role: 'org_admin' });
    expect((await signIn(tenant, { nameId: user!.email })).browser.session).toBeUndefined();
  });

  it("an org_admin of another tenant as one, or not at all: no lesser membership takes the place of the organization's", async () => {
    const tenant = await samlTenant(world);
    const { user } = await (await world.tenant(tenant.tenant.organization_id)).as('org_admin');
    await join(tenant, user!);
    const members = () => world.database.tenant(tenant.id).collection(memberships).count({});
    const attempt = async (set_by_org_admin: boolean) => {
      await world.database.tenant(tenant.id).collection(ssoSettings).update({}, { $set: { set_by_org_admin } });
      return signIn(tenant, { nameId: user!.email, context: 'https://refeds.org/profile/mfa' });
    };
    expect((await attempt(false)).finished!.status).toBe(403);
    expect(await me((await attempt(true)).browser)).toMatchObject({ role: 'org_admin', tenant_id: tenant.id });
    expect(await members()).toBe(0);
  });

  it("under the name that the provider says, but never a person's own account that was linked", async () => {
    const tenant = await samlTenant(world);
    const attributes = { firstName: 'Countess', lastName: 'Lovelace' };
    const nameOf = async (nameId?: string) => {
      const changes = { attributes, ...(nameId !== undefined && { nameId }) };
      await signIn(tenant, changes);
      return (await me((await signIn(tenant, changes)).browser))['name'];
    };
    await signIn(tenant);
    expect(await nameOf()).toBe('Countess Lovelace');
    const { user } = await tenant.as('viewer');
    await join(tenant, user!);
    expect(await nameOf(user!.email)).toBe(user!.name);
  });

  it('nobody whose account is disabled', async () => {
    const tenant = await samlTenant(world);
    await signIn(tenant);
    await world.database.system(users).update({ sso_tenant_id: tenant.id }, { $set: { state: 'disabled' } });
    expect((await signIn(tenant)).finished!.status).toBe(403);
  });
});

describe('a sign-in under way', () => {
  const next = selfSigned();
  /** Puts another certificate in the place of the present one, as after a theft of the provider's key. */
  async function change(tenant: SamlTenant): Promise<void> {
    const { saml } = await tenant.settings();
    const body = { saml: { ...saml, idp_certificates: [next.certificate] } };
    const answer = await (await tenant.as('org_admin')).call('/api/v1/settings/sso', { method: 'PUT', body });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  }

  it('whose answer has come ends with the settings that it was checked under', async () => {
    const tenant = await samlTenant(world);
    const browser = new Browser(world.url);
    const request = await tenant.begin(browser);
    const posted = await browser.postFromElsewhere(request.acsUrl, { SAMLResponse: encode(tenant.answer(request)) });
    expect(posted.status).toBe(302);
    await change(tenant);
    expect((await browser.get(posted.headers.get('location')!)).status).toBe(400);
    expect(browser.session).toBeUndefined();
  });

  it('makes no account under settings that are no longer the present ones', async () => {
    const tenant = await samlTenant(world);
    const settings = await tenant.settings();
    const assertion = { tenant_id: tenant.id, provider: tenant.provider, subject: 'x', email: `x@${tenant.domain}`, name: '' };
    const arrive = (row: typeof settings) =>
      provision(world.auth.parts, { ip_address: '', user_agent: '' }, row, {
        ...assertion,
        groups: [],
        second_factor: false,
        authenticated_at: null,
      });
    await expect(arrive({ ...settings, updated_at: new Date(0) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await world.database.system(users).count({ email: assertion.email })).toBe(0);
    expect((await arrive(settings)).user.email).toBe(assertion.email);
  });

  it('that awaits its second step does, too', async () => {
    const tenant = await samlTenant(world);
    const { user } = await tenant.as('org_admin');
    await join(tenant, user!);
    await world.database.system(users).update({ _id: user!._id }, { $set: { mfa: 'totp' } });
    const { browser, finished } = await signIn(tenant, { nameId: user!.email });
    const page = finished!.headers.get('location')!;
    expect(await (await browser.get(page)).text()).toContain('Confirm that it is you');
    await change(tenant);
    expect((await browser.get(page)).status).toBe(401);
  });
});

describe('a test sign-in', () => {
  it('works before SAML is enabled, shows what came, signs nobody in, and verifies an administrator', async () => {
    const tenant = await samlTenant(
      world,
      { group_mappings: [{ group: 'admins', role: 'tenant_admin', priority: 1 }] },
      { enabled: false },
    );
    const browser = browserOf(await tenant.as('tenant_admin'));
    const before = browser.session;
    const request = await tenant.begin(browser, { test: '1' });
    const { finished } = await post(browser, request.acsUrl, tenant.answer(request, { attributes: { groups: ['<b>', 'admins'] } }));
    expect(finished!.status).toBe(200);
    const page = await finished!.text();
    expect(page).toContain(`ada@${tenant.domain}`);
    expect(page).not.toContain('<b>');
    expect(browser.session).toBe(before);
    expect(await world.database.system(sessions).count({ sso_tenant_id: tenant.id })).toBe(0);
    expect(await tenant.settings()).toMatchObject({ verified_at: expect.any(Date), last_test: { ok: true, role: 'tenant_admin' } });
  });

  it('says what a sign-in would come to: the last administrator stays one, a guest without an account is nobody', async () => {
    const tenant = await samlTenant(world, {}, { enabled: false });
    const admin = await tenant.as('tenant_admin');
    const guest = await tenant.as('viewer');
    for (const { user } of [admin, guest]) await join(tenant, user!);
    const { organization_id } = (await world.tenant()).tenant;
    await world.database.system(users).update({ _id: guest.user!._id }, { $set: { organization_id, state: 'invited' } });
    const roleOf = async (nameId: string) => {
      const browser = browserOf(admin);
      const request = await tenant.begin(browser, { test: '1' });
      expect((await post(browser, request.acsUrl, tenant.answer(request, { nameId }))).finished!.status).toBe(200);
      return (await tenant.settings()).last_test!.role;
    };
    expect(await roleOf(admin.user!.email)).toBe('tenant_admin');
    expect(await roleOf(guest.user!.email)).toBeNull();
  });

  it('verifies nothing when a viewer comes of it, and says why a response was refused', async () => {
    const tenant = await samlTenant(world, {}, { enabled: false });
    const browser = browserOf(await tenant.as('tenant_admin'));
    for (const [changes, ok] of [
      [{}, true],
      [{ audience: 'https://elsewhere.example' }, false],
    ] as const) {
      const request = await tenant.begin(browser, { test: '1' });
      await post(browser, request.acsUrl, tenant.answer(request, changes));
      const { verified_at, last_test } = await tenant.settings();
      expect([verified_at, last_test!.ok]).toEqual([null, ok]);
    }
    expect((await tenant.settings()).last_test!.message).toContain('audience');
  });

  it('is begun by those who may set it up, in their own tenant', async () => {
    const [tenant, other] = [await samlTenant(world), await samlTenant(world)];
    const test = async (browser: Browser, id = tenant.id) => (await browser.get(`/auth/saml/login?test=1&tenant_id=${id}`)).status;
    expect(await test(new Browser(world.url))).toBe(401);
    expect(await test(browserOf(await tenant.as('analyst')))).toBe(403);
    expect(await test(browserOf(await tenant.as('tenant_admin')), other.id)).toBe(404);
    expect(await test(browserOf(await tenant.as('tenant_admin')))).toBe(302);
  });

  it("is nothing for the operator's staff who has been let in: it is noted in the settings", async () => {
    const [tenant, operator] = [await samlTenant(world), await world.tenant()];
    const staff = await operator.as('platform_admin');
    const asked = await staff.call<{ id: string }>('/api/v1/support-access', {
      body: { tenant_id: tenant.id, reason: 'Ticket 7', hours: 1 },
    });
    await (await tenant.as('tenant_admin')).call(`/api/v1/support-access/${asked.body.id}/approve`, { body: {} });
    const inside = staff.withCookieOf(await staff.call('/api/auth/switch-tenant', { body: { tenant_id: tenant.id } }));
    expect((await inside.call('/api/v1/settings/sso')).status).toBe(200);
    for (const kind of ['saml', 'oauth']) expect([kind, (await inside.call(`/auth/${kind}/login?test=1`)).status]).toEqual([kind, 403]);
  });

  it('an enabled provider is verified by the real sign-in of an administrator, too', async () => {
    const tenant = await samlTenant(world, { group_mappings: [{ group: 'admins', role: 'tenant_admin', priority: 1 }] });
    await signIn(tenant);
    expect((await tenant.settings()).verified_at).toBeNull();
    await signIn(tenant, { nameId: `bea@${tenant.domain}`, attributes: { groups: 'admins' } });
    expect((await tenant.settings()).verified_at).toBeInstanceOf(Date);
  });
});

describe('what a provider vouches for', () => {
  /** A tenant with SAML and another one of the organization in which ada is a viewer. */
  async function twoTenants(changes: Parameters<typeof samlTenant>[1] = {}) {
    const first = await samlTenant(world, changes);
    const second = await world.tenant(first.tenant.organization_id);
    const { browser } = await signIn(first);
    const { user_id } = (await me(browser)) as { user_id: string };
    const { _id: tenant_id } = second.tenant;
    await world.database
      .tenant(tenant_id)
      .collection(memberships)
      .insert({ _id: `${tenant_id}|${user_id}`, tenant_id, user_id, email: `ada@${first.domain}`, role: 'viewer', created_at: new Date() });
    const switchTo = async (id: string, cookie = browser.session!) =>
      (
        await fetch(`${world.url}/api/auth/switch-tenant`, {
          method: 'POST',
          body: JSON.stringify({ tenant_id: id }),
          headers: { 'content-type': 'application/json', cookie: `access_token=${cookie}` },
        })
      ).status;
    return { first, second, switchTo };
  }

  it('another tenant of the organization, where an org_admin has set it up', async () => {
    const { first, second, switchTo } = await twoTenants({ set_by_org_admin: true });
    expect(await switchTo(second.tenant._id)).toBe(200);
    expect((await world.database.system(sessions).find({ sso_tenant_id: first.id }))[0]).toMatchObject({ tenant_id: second.tenant._id });
  });

  it('its own tenant alone, where a tenant_admin has', async () => {
    const { first, second, switchTo } = await twoTenants({ set_by_org_admin: false });
    expect(await switchTo(second.tenant._id)).toBe(403);
    expect(await switchTo('ten_unknown')).toBe(404);
    expect(await switchTo(first.id)).toBe(200);
  });

  it('a tenant that requires single sign-on, but no password does', async () => {
    const { first, second, switchTo } = await twoTenants();
    const require = (require_sso: boolean) =>
      world.database.tenant(second.tenant._id).collection(tenants).update({}, { $set: { require_sso } });
    const own = (await second.as('org_admin')).cookie!.split('=')[1]!;
    await require(true);
    expect(await switchTo(second.tenant._id, own)).toBe(403);
    expect(await switchTo(second.tenant._id)).toBe(200);
    await require(false);
    expect(await switchTo(first.id, own)).toBe(200);
  });
});
