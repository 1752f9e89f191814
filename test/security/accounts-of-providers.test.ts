import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../sign-in/index.js';
import { identityId, provision } from '../../sign-in/sso/provision.js';
import { memberships, tenants, users, type UserRow } from '../../accounts/records.js';
import { addMembership } from '../../accounts/seed.js';
import { sessions } from '../../accounts/session-record.js';
import { markEarlierAccounts } from '../../accounts/earlier-accounts.js';
import { ssoIdentities } from '../../accounts/providers/records.js';
import { giveUp, holderRow, verified } from '../support/domains.js';
import { accept, GOOD_PASSWORD, invited } from '../support/invitations.js';
import { readAuthnRequest, type ResponseFacts } from '../support/saml-idp.js';
import { Browser, post, samlTenant, type SamlTenant } from '../support/saml-tenant.js';
import { memberOf, PASSWORD, signIn as signInWithPassword } from '../support/sign-in.js';
import { Client, openWorld, type World } from '../support/world.js';

const DAY = 86_400_000;

let world: World;
/** The organization that has its domain, and another one whose identity provider names people of it. */
let acme: SamlTenant;
let globex: SamlTenant;
let newhire: string;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  [acme, globex] = [await samlTenant(world), await samlTenant(world)];
  newhire = `newhire@${acme.domain}`;
});
afterAll(() => world.close());

interface Me {
  user_id: string;
  email: string;
  role: string;
  tenant_id: string;
  tenants: { tenant_id: string }[];
}
/** Signs in through the provider of a tenant. @returns what the browser is told at the end, and a caller with its session */
async function signIn(tenant: SamlTenant, email: string, changes: Partial<ResponseFacts> = {}) {
  const browser = new Browser(world.url);
  const request = await tenant.begin(browser);
  const { finished } = await post(browser, request.acsUrl, tenant.answer(request, { nameId: email, ...changes }));
  const client = new Client(world.url, browser.session === undefined ? null : `access_token=${browser.session}`, null);
  return { status: finished!.status, page: await finished!.text(), client };
}
const me = async (client: Client) => (await client.call<Me>('/api/v1/users/me')).body;
const accountsOf = (email: string) => world.database.system(users).find({ email });
const switchTo = (client: Client, tenant_id: string) => client.call('/api/auth/switch-tenant', { body: { tenant_id } });

/** Makes somebody a member by an invitation that is accepted through the mailbox. */
async function invitedMember(tenant: SamlTenant, email: string): Promise<UserRow> {
  const { token } = await invited(await tenant.as('tenant_admin'), email, 'viewer');
  const answer = await accept(world.anonymous, { token, password: GOOD_PASSWORD });
  if (answer.status !== 200) throw new Error(answer.text);
  return (await accountsOf(email)).find(({ sso_tenant_id }) => sso_tenant_id === null)!;
}

describe("an address of another organization's domain", () => {
  it('is refused to the provider of a tenant, with the reason, and stays free for its owner: for their provider', async () => {
    const taken = await signIn(globex, newhire);
    expect([taken.status, taken.client.cookie]).toEqual([403, null]);
    expect(taken.page).toContain(`has not verified the domain ${acme.domain}`);
    expect(taken.page).not.toMatch(new RegExp(`${acme.id}|${acme.tenant.organization_id}`));
    expect(await accountsOf(newhire)).toEqual([]);
    const { status, client } = await signIn(acme, newhire);
    expect([status, await me(client)]).toEqual([302, expect.objectContaining({ email: newhire, tenant_id: acme.id })]);
  });

  it('and for their invitation', async () => {
    const { token } = await invited(await acme.as('tenant_admin'), newhire, 'analyst');
    expect((await signIn(globex, newhire)).status).toBe(403);
    expect(await accept(world.anonymous, { token, password: GOOD_PASSWORD })).toMatchObject({ status: 200, body: { role: 'analyst' } });
  });

  it('is refused alike whether it has an account or none, and whether its domain is held or free', async () => {
    await invitedMember(acme, newhire);
    const pages = await Promise.all(
      [newhire, `nobody@${acme.domain}`, 'nobody@free.example'].map(async (email) =>
        (await signIn(globex, email)).page.replaceAll(email.split('@')[1]!, 'DOMAIN'),
      ),
    );
    expect(new Set(pages).size).toBe(1);
  });

  it('is refused where nobody has verified the domain, and where the organization only claims it', async () => {
    const domain = `claimed-${randomUUID().slice(0, 8)}.example`;
    await (await globex.as('org_admin')).call('/api/v1/settings/domains', { body: { domain } });
    expect((await signIn(globex, `a@${domain}`)).status).toBe(403);
    await verified(world, globex.tenant, domain);
    expect((await signIn(globex, `a@${domain}`)).status).toBe(302);
    // a name below a verified one is another domain
    expect((await signIn(globex, `a@sub.${domain}`)).status).toBe(403);
  });

  it('is let in where its owner has accepted an invitation, to that tenant and beside their own account', async () => {
    const own = await invitedMember(globex, newhire);
    const { client } = await signIn(globex, newhire);
    const { user_id, tenant_id } = await me(client);
    expect([user_id === own._id, tenant_id]).toEqual([false, globex.id]);
    // not in another tenant of that organization
    const sister = await samlTenant(world);
    const moved = { $set: { organization_id: globex.tenant.organization_id } };
    await world.database.tenant(sister.id).collection(tenants).update({}, moved);
    expect((await signIn(sister, newhire)).status).toBe(403);
    // and not after they have been removed
    const admin = await globex.as('tenant_admin');
    for (const id of [own._id, user_id]) expect((await admin.call(`/api/v1/users/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await signIn(globex, newhire)).status).toBe(403);
  });

  it('is not let in by an invitation that is pending', async () => {
    await invited(await globex.as('tenant_admin'), newhire, 'viewer');
    expect((await signIn(globex, newhire)).status).toBe(403);
  });
});

describe('an account that a provider has made', () => {
  it("is found by no password, no reset and no invitation, and neither is the person's own by the provider", async () => {
    const { client } = await signIn(acme, newhire);
    const { user_id } = await me(client);
    await world.database.system(users).update({ _id: user_id }, { $set: { password_hash: await hashPassword(PASSWORD) } });
    expect((await signInWithPassword(world.anonymous, newhire)).status).toBe(401);
    await world.database.system(users).update({ _id: user_id }, { $set: { password_hash: null } });
    const own = await invitedMember(globex, newhire);
    expect(own._id).not.toBe(user_id);
    expect((await me((await signIn(acme, newhire)).client)).user_id).toBe(user_id);
    expect((await signInWithPassword(world.anonymous, newhire, GOOD_PASSWORD)).body).toMatchObject({ status: 'ok' });
  });

  it('reaches its tenant alone, and tells of no other', async () => {
    const own = await memberOf(world, acme, newhire, 'analyst');
    const sister = await world.tenant(acme.tenant.organization_id);
    await addMembership(world.auth.parts, { tenant_id: sister.tenant._id, user: own, role: 'analyst' });
    const { client } = await signIn(acme, newhire);
    expect((await me(client)).tenants.map(({ tenant_id }) => tenant_id)).toEqual([acme.id]);
    for (const id of [sister.tenant._id, globex.id]) expect((await switchTo(client, id)).status).toBe(404);
    const path = `/api/v1/users/${(await me(client)).user_id}/role`;
    const promoted = await (await acme.as('org_admin')).call(path, { method: 'PATCH', body: { role: 'org_admin' } });
    expect([promoted.status, promoted.text]).toEqual([422, expect.stringContaining('reaches this tenant only')]);
  });

  it("changes no factor and ends no session of the person's own account", async () => {
    const own = await memberOf(world, acme, newhire, 'analyst');
    const mine = world.anonymous.withCookieOf(await signInWithPassword(world.anonymous, newhire));
    const { client } = await signIn(acme, newhire);
    expect((await client.call('/api/v1/users/me/mfa', { body: { method: 'totp' } })).status).toBe(200);
    const listed = await client.call<{ tenant_id: string }[]>('/api/v1/users/me/sessions');
    expect(listed.body).toHaveLength(1);
    await client.call('/api/auth/logout', { method: 'POST', body: {} });
    expect((await mine.call('/api/v1/users/me')).status).toBe(200);
    expect(await world.database.system(users).findOne({ _id: own._id })).toMatchObject({ mfa: 'none' });
  });

  it('is one for an address and tenant, made once when its person comes several times at once', async () => {
    const settings = await acme.settings();
    const arrive = (subject: string) =>
      provision(world.auth.parts, { ip_address: '', user_agent: '' }, settings, {
        tenant_id: acme.id,
        provider: acme.provider,
        subject,
        email: newhire,
        name: '',
        groups: [],
        second_factor: false,
        authenticated_at: null,
      });
    const made = await Promise.allSettled([...Array(4)].flatMap(() => [arrive('one'), arrive('two')]));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(await accountsOf(newhire)).toHaveLength(1);
  });
});

describe('giving a domain up', () => {
  it('ends sign-in through it and the sessions that it let in, and nobody else is touched', async () => {
    const guest = `guest@${globex.domain}`;
    await invitedMember(acme, guest);
    const [inside, invitee] = [(await signIn(acme, newhire)).client, (await signIn(acme, guest)).client];
    expect((await giveUp(await acme.as('org_admin'), acme.domain)).status).toBe(204);
    expect((await inside.call('/api/v1/users/me')).status).toBe(401);
    expect((await invitee.call('/api/v1/users/me')).status).toBe(200);
    const refused = await signIn(acme, newhire);
    expect([refused.status, refused.page]).toEqual([403, expect.stringContaining(`no longer has the domain ${acme.domain}`)]);
    expect((await signIn(acme, guest)).status).toBe(302);
    await verified(world, acme.tenant, acme.domain);
    expect((await signIn(acme, newhire)).status).toBe(302);
  });

  it('leaves no session behind of whoever signs in at this moment', async () => {
    await signIn(acme, newhire);
    const owner = await acme.as('org_admin');
    for (let round = 0; round < 5; round++) {
      await verified(world, acme.tenant, acme.domain);
      const arrivals = [newhire, `other-${round}@${acme.domain}`].map((email) => signIn(acme, email));
      const [removed] = await Promise.all([giveUp(owner, acme.domain), ...arrivals]);
      expect(removed.status).toBe(204);
      expect(await world.database.system(sessions).count({ sso_tenant_id: acme.id })).toBe(0);
    }
  });
});

describe('a domain whose record is missing', () => {
  const missing = (days: number) =>
    verified(world, acme.tenant, acme.domain, {
      failing_since: new Date(Date.now() - days * DAY),
      absent_since: new Date(Date.now() - days * DAY),
    });
  const led = async () => (await new Browser(world.url).get(`/auth/saml/login?email=somebody@${acme.domain}`)).status;

  it('lets people in for two weeks, and after that only those who have an account', async () => {
    await missing(13.9);
    expect([(await signIn(acme, newhire)).status, await led()]).toEqual([302, 302]);
    await missing(14.1);
    expect([(await signIn(acme, `late@${acme.domain}`)).status, await led()]).toEqual([403, 404]);
    expect((await signIn(acme, newhire)).status).toBe(302);
  });

  it("and so does an operator's word whose 90 days are over", async () => {
    const vouched = (ends: number) =>
      verified(world, acme.tenant, acme.domain, { source: 'operator', ends_at: new Date(Date.now() + ends) });
    await vouched(60_000);
    expect((await signIn(acme, newhire)).status).toBe(302);
    await vouched(-1);
    expect((await signIn(acme, `late@${acme.domain}`)).status).toBe(403);
    expect((await signIn(acme, newhire)).status).toBe(302);
  });

  it('passes to another organization with nobody of the former one left inside', async () => {
    const { client } = await signIn(acme, newhire);
    expect((await holderRow(world, acme.domain))!.accounts_made).toBe(1);
    await verified(world, globex.tenant, acme.domain);
    expect((await signIn(acme, newhire)).status).toBe(403);
    // the same address, another account
    const there = await me((await signIn(globex, newhire)).client);
    expect([there.tenant_id, there.user_id === (await me(client)).user_id]).toEqual([globex.id, false]);
  });
});

describe('linking two accounts', () => {
  const begin = (client: Client) => client.call<{ token: string }>('/api/auth/link', { method: 'POST', body: {} });
  const finish = (client: Client, token: string) => client.call('/api/auth/link/finish', { body: { token } });
  /** A person with an own account in acme, and the account that its provider has made for another address of theirs. */
  async function both(role: 'viewer' | 'org_admin' = 'viewer') {
    const mine = await acme.as(role);
    const { client: theirs } = await signIn(acme, newhire);
    return { mine, theirs, token: (await begin(mine)).body.token };
  }

  it('takes a live session of each, and from then on the provider signs in the own one', async () => {
    const { mine, theirs, token } = await both();
    const made = await me(theirs);
    expect((await finish(theirs, token)).status).toBe(204);
    expect((await theirs.call('/api/v1/users/me')).status).toBe(401);
    expect((await mine.call('/api/v1/users/me')).status).toBe(200);
    expect(await me((await signIn(acme, newhire)).client)).toMatchObject({ user_id: mine.user!._id, tenant_id: acme.id });
    expect(await world.database.tenant(acme.id).collection(memberships).count({ user_id: made.user_id })).toBe(0);
    const log = await (await acme.as('tenant_admin')).call<{ items: object[] }>('/api/v1/audit-logs?action=user.link');
    expect(log.body.items).toMatchObject([{ actor_email: mine.user!.email, target_email: newhire }]);
  });

  it('is refused without a live session of each, or with one of the wrong kind', async () => {
    const { mine, theirs, token } = await both();
    expect((await begin(theirs)).status).toBe(403);
    expect((await begin(world.anonymous)).status).toBe(401);
    expect((await finish(world.anonymous, token)).status).toBe(401);
    expect((await finish(mine, token)).status).toBe(403);
    expect((await finish(await acme.as('analyst'), token)).status).toBe(403);
    expect((await finish(theirs, `${token.slice(0, -4)}AAAA`)).status).toBe(422);
    const invite = (await invited(await acme.as('tenant_admin'), `x@${acme.domain}`)).token;
    expect((await finish(theirs, invite)).status).toBe(422);
    await mine.call('/api/auth/logout', { method: 'POST', body: {} });
    expect((await finish(theirs, token)).status).toBe(410);
    expect((await me(theirs)).email).toBe(newhire);
  });

  it('is refused where the own account is no member of the tenant, and counts once', async () => {
    const { theirs, token } = await both();
    const stranger = await globex.as('viewer');
    expect((await finish(theirs, (await begin(stranger)).body.token)).status).toBe(409);
    const answers = await Promise.all(Array.from({ length: 4 }, () => finish(theirs, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 401, 401, 401]);
  });

  it('gives the provider no word beyond its tenant: no factor, no session and no invitation elsewhere', async () => {
    const { mine, theirs, token } = await both();
    await finish(theirs, token);
    const { client } = await signIn(acme, newhire);
    expect((await client.call('/api/v1/users/me/mfa', { body: { method: 'totp' } })).status).toBe(403);
    expect((await client.call<unknown[]>('/api/v1/users/me/sessions')).body).toHaveLength(2);
    const elsewhere = await invited(await globex.as('tenant_admin'), mine.user!.email);
    expect((await accept(client, { token: elsewhere.token })).status).toBe(401);
    expect((await accept(mine, { token: elsewhere.token })).status).toBe(200);
    expect((await switchTo(client, globex.id)).status).toBe(403);
  });

  it('sets up no second factor for an org_admin on the word of the provider', async () => {
    const { theirs, token, mine } = await both('org_admin');
    expect((await finish(theirs, token)).status).toBe(204);
    expect((await signIn(acme, newhire)).status).toBe(403);
    const { client } = await signIn(acme, newhire, { context: 'https://refeds.org/profile/mfa' });
    expect(await me(client)).toMatchObject({ user_id: mine.user!._id, role: 'org_admin' });
  });
});

describe('accounts from before domains were verified', () => {
  /** A row as it was: no word of whose account it is. */
  async function earlier(tenant: SamlTenant, email: string, password: string | null): Promise<UserRow> {
    const user = await memberOf(world, tenant, email, 'viewer', { password_hash: password === null ? null : await hashPassword(password) });
    await world.database.system(users).update({ _id: user._id }, { $unset: { sso_tenant_id: '' } });
    const key = { tenant_id: tenant.id, provider: tenant.provider, subject: email };
    const row = { ...key, _id: identityId(key), user_id: user._id, created_at: new Date() };
    await world.database.tenant(tenant.id).collection(ssoIdentities).insert(row);
    return user;
  }
  const led = async (email: string) =>
    (await new Browser(world.url).get(`/auth/saml/login?${new URLSearchParams({ email }).toString()}`)).status;

  it('go on signing in and being found by their address, with and without a password', async () => {
    const [plain, known] = [`plain-${randomUUID()}@unverified.example`, `known-${randomUUID()}@unverified.example`];
    const accounts = [await earlier(globex, plain, null), await earlier(globex, known, PASSWORD)];
    // before the step and after it, and after it was repeated
    for (let time = 0; time < 3; time++) {
      for (const { email, _id } of accounts) expect(await me((await signIn(globex, email)).client)).toMatchObject({ user_id: _id });
      expect((await signInWithPassword(world.anonymous, known)).body).toMatchObject({ status: 'ok' });
      await markEarlierAccounts(world.database);
      for (const { email } of accounts) expect(await led(email)).toBe(302);
    }
    const [first, second] = await Promise.all(accounts.map(({ _id }) => world.database.system(users).findOne({ _id })));
    expect(first).toMatchObject({ sso_tenant_id: globex.id, sso_basis: 'earlier' });
    expect(second).toMatchObject({ sso_tenant_id: null, sso_basis: 'earlier' });
    expect((await signIn(globex, 'new@unverified.example')).status).toBe(403);
  });

  it('no longer keep an address from its owner', async () => {
    const squatter = await earlier(globex, newhire, null);
    await markEarlierAccounts(world.database);
    const { token } = await invited(await acme.as('tenant_admin'), newhire, 'analyst');
    expect((await accept(world.anonymous, { token, password: GOOD_PASSWORD })).status).toBe(200);
    const { client } = await signIn(acme, newhire);
    expect(await me(client)).toMatchObject({ tenant_id: acme.id });
    expect(await me((await signIn(globex, newhire)).client)).toMatchObject({ user_id: squatter._id, tenant_id: globex.id });
    // the way by the address is the owner's
    const browser = new Browser(world.url);
    const way = await browser.get(`/auth/saml/login?email=${newhire}`);
    expect(way.status).toBe(302);
    expect(readAuthnRequest(way.headers.get('location')!).issuer).toContain(acme.id);
  });
});
