import { sessions } from '../../accounts/session-record.js';
import type { ResponseFacts } from '../support/saml-idp.js';
import { Browser, post, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { Client, openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const MINUTE = 60_000;
const before = (minutes: number) => new Date(Date.now() - minutes * MINUTE);
const sessionsOf = ({ id }: SamlTenant) => world.database.system(sessions).find({ tenant_id: id, method: 'saml' });

/** Signs in and answers with `changes`; a browser keeps its session. */
async function signIn(tenant: SamlTenant, browser: Browser, query: Record<string, string> = {}, changes: Partial<ResponseFacts> = {}) {
  const request = await tenant.begin(browser, query);
  return { request, ...(await post(browser, request.acsUrl, tenant.answer(request, changes))) };
}

/** What an administrator is told who changes a setting of sign-in. */
async function change(browser: Browser) {
  const client = new Client(world.url, `access_token=${browser.session!}`, null);
  return client.call<{ detail: { reauthenticate: { url: string } } }>('/api/v1/webhooks/none', { method: 'DELETE' });
}

describe('who has signed in through SAML', () => {
  it('counts as proved from the time that the provider states, not from that of the sign-in here', async () => {
    const tenant = await samlTenant(world, { default_role: 'tenant_admin' });
    const browser = new Browser(world.url);
    await signIn(tenant, browser, {}, { authenticatedAt: before(10) });
    expect((await change(browser)).status).toBe(404);
    const later = new Browser(world.url);
    await signIn(tenant, later, {}, { authenticatedAt: before(120) });
    expect((await change(later)).status).toBe(401);
    // a provider whose clock is ahead proves nothing beforehand
    const ahead = new Browser(world.url);
    await signIn(tenant, ahead, {}, { authenticatedAt: before(-120) });
    const rows = await sessionsOf(tenant);
    expect(rows.filter(({ authenticated_at }) => authenticated_at!.getTime() > Date.now())).toEqual([]);
  });

  it('goes to the provider with ForceAuthn and comes back with a new session in the place of the old one', async () => {
    const tenant = await samlTenant(world, { default_role: 'tenant_admin' });
    const browser = new Browser(world.url);
    const first = await signIn(tenant, browser, {}, { authenticatedAt: before(120) });
    expect(first.request.xml).not.toContain('ForceAuthn="true"');
    const { body } = await change(browser);
    const url = new URL(body.detail.reauthenticate.url, world.url);
    expect(url.pathname).toBe('/auth/saml/login');
    const old = browser.session;
    const again = await signIn(tenant, browser, Object.fromEntries(url.searchParams));
    expect(again.request.xml).toContain('ForceAuthn="true"');
    expect(again.finished!.status).toBe(302);
    expect(browser.session).not.toBe(old);
    expect((await change(browser)).status).toBe(404);
    expect(await sessionsOf(tenant)).toHaveLength(1);
    expect((await new Client(world.url, `access_token=${old!}`, null).call('/api/v1/users/me')).status).toBe(401);
  });

  it('has proved nothing where the provider answers from an old session of its own, and may try again', async () => {
    const tenant = await samlTenant(world, { default_role: 'tenant_admin' });
    const browser = new Browser(world.url);
    await signIn(tenant, browser, {}, { authenticatedAt: before(120) });
    const request = await tenant.begin(browser, { reauthenticate: '1' });
    const stale = await post(browser, request.acsUrl, tenant.answer(request, { authenticatedAt: before(2) }));
    expect(stale.posted.status).toBe(400);
    expect((await change(browser)).status).toBe(401);
    expect((await post(browser, request.acsUrl, tenant.answer(request))).finished!.status).toBe(302);
    expect((await change(browser)).status).toBe(404);
  });
});
