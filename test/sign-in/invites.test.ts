import { randomUUID } from 'node:crypto';
import { hashPassword } from '../../sign-in/index.js';
import { systemClock } from '../../kit/base/clock.js';
import { tenants, users } from '../../accounts/records.js';
import { addMembership } from '../../accounts/seed.js';
import { ssoSettings } from '../../accounts/providers/records.js';
import { accept, GOOD_PASSWORD, invite, invited, type Invite } from '../support/invitations.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

const address = () => `new-${randomUUID().slice(0, 8)}@invited.example`;
const setPassword = async (client: Client, password = GOOD_PASSWORD) =>
  world.database.system(users).update({ _id: client.user!._id }, { $set: { password_hash: await hashPassword(password) } });
const usersOf = async (client: Client) =>
  (await client.call<{ items: { email: string; role: string }[] }>('/api/v1/users')).body.items.map(({ email, role }) => [email, role]);

describe('inviting', () => {
  it('shows the link once, to who invites, and never in lists', async () => {
    const email = address();
    const made = await invite(admin, email.toUpperCase(), 'analyst');
    expect(made).toMatchObject({
      status: 201,
      body: { email, role: 'analyst', state: 'pending', invited_by: admin.user!.email, accepted_at: null },
    });
    expect(made.body.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/auth\/invite\?token=[\w.-]+$/);
    const listed = await admin.call<{ items: Invite[]; total: number }>('/api/v1/invites');
    expect(listed.body).toMatchObject({ total: 1, items: [{ id: made.body.id, link: null }] });
    const log = await admin.call<{ items: object[] }>('/api/v1/audit-logs?action=user.invite');
    expect(log.body.items).toMatchObject([{ actor_email: admin.user!.email, target_email: email, role: 'analyst' }]);
    for (const { text } of [listed, log]) expect(text).not.toContain('token=');
  });

  it('is 409 for a member and for an address with an open invitation, and 422 for what is no address', async () => {
    const email = address();
    expect((await invite(admin, (await tenant.as('viewer')).user!.email)).status).toBe(409);
    expect((await invite(admin, email)).status).toBe(201);
    expect((await invite(admin, email)).status).toBe(409);
    for (const wrong of ['', 'nobody', 'a@b', 'a b@c.example', 'a@b.example\r\nBcc: x@y.example', `${'a'.repeat(250)}@b.example`])
      expect({ wrong, status: (await invite(admin, wrong)).status }).toEqual({ wrong, status: 422 });
  });

  it('says nothing of accounts elsewhere', async () => {
    const elsewhere = (await (await world.tenant()).as('viewer')).user!.email;
    const shape = ({ status, body }: Awaited<ReturnType<typeof invite>>) => [status, Object.keys(body), body.state];
    const owner = await tenant.as('org_admin');
    for (const role of ['viewer', 'org_admin'] as const) {
      const [unknown, known] = [
        await invite(owner, address(), role),
        await invite(owner, role === 'viewer' ? elsewhere : (await (await world.tenant()).as('viewer')).user!.email, role),
      ];
      expect(shape(known)).toEqual(shape(unknown));
    }
  });

  it('is refused where the identity provider alone signs people in, and so is accepting', async () => {
    const { token } = await invited(admin, address());
    const rows = world.database.tenant(tenant.tenant._id).collection(tenants);
    await rows.update({}, { $set: { require_sso: true } });
    expect((await invite(admin, address())).status).toBe(409);
    expect((await accept(world.anonymous, { token, password: GOOD_PASSWORD })).status).toBe(403);
    await rows.update({}, { $set: { require_sso: false } });
    expect((await accept(world.anonymous, { token, password: GOOD_PASSWORD })).status).toBe(200);
  });
});

describe('accepting', () => {
  it('wants a password that keeps the rules, and no member that it does not know', async () => {
    const { token } = await invited(admin, address());
    for (const [body, path] of [
      [{ token, password: 'short' }, 'password'],
      [{ token }, 'password'],
      [{ token, password: 'password1234' }, 'password'],
      [{ token, password: GOOD_PASSWORD, role: 'org_admin' }, 'role'],
      [{ password: GOOD_PASSWORD }, 'token'],
      [{ token: { $ne: '' }, password: GOOD_PASSWORD }, 'token'],
    ] as const)
      expect(await accept(world.anonymous, body)).toMatchObject({ status: 422, body: { detail: [{ path }] } });
    expect((await accept(world.anonymous, { token, password: GOOD_PASSWORD })).status).toBe(200);
  });

  it('takes no account over: an account of the address must be shown by its password', async () => {
    const guest = await (await world.tenant()).as('analyst');
    await setPassword(guest);
    const { token } = await invited(admin, guest.user!.email, 'analyst');
    for (const body of [
      { token },
      { token, password: 'another fine password' },
      { token, name: 'Mallory', password: 'brand new password' },
    ])
      expect((await accept(world.anonymous, body)).status).toBe(401);
    expect(await usersOf(admin)).not.toContainEqual([guest.user!.email, 'analyst']);
    const right = await accept(world.anonymous, { token, name: 'Mallory', password: GOOD_PASSWORD });
    expect(right).toMatchObject({ status: 200, body: { user: { name: guest.user!.name }, tenant: { tenant_id: tenant.tenant._id } } });
    expect(await usersOf(admin)).toContainEqual([guest.user!.email, 'analyst']);
    const after = await world.database.system(users).findOne({ _id: guest.user!._id });
    expect(after).toMatchObject({ organization_id: guest.user!.organization_id, name: guest.user!.name });
  });

  it('needs no password of who is signed in to the account, whose old session makes room', async () => {
    const guest = await (await world.tenant()).as('viewer');
    const other = await (await world.tenant()).as('viewer');
    const { token } = await invited(admin, guest.user!.email);
    expect((await accept(other, { token })).status).toBe(401);
    const accepted = await accept(guest, { token });
    expect(accepted).toMatchObject({ status: 200, body: { tenant: { tenant_id: tenant.tenant._id }, role: 'viewer' } });
    expect((await guest.call('/api/v1/users/me')).status).toBe(401);
    const me = await guest.withCookieOf(accepted).call<{ tenants: { tenant_id: string }[] }>('/api/v1/users/me');
    expect(me.body.tenants.map(({ tenant_id }) => tenant_id)).toContain(tenant.tenant._id);
    expect((await other.call('/api/v1/users/me')).status).toBe(200);
  });

  it('is refused from another site', async () => {
    const guest = await (await world.tenant()).as('viewer');
    const { token } = await invited(admin, guest.user!.email);
    const from = (headers: Record<string, string>) => guest.call('/api/auth/invites/accept', { body: { token }, headers });
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('counts no session that the identity provider of another tenant vouches for, whoever has set it up', async () => {
    const home = await world.tenant();
    const guest = await home.as('viewer');
    const { parts } = world.auth;
    const row = await parts.sessions.create({
      user_id: guest.user!._id,
      tenant_id: home.tenant._id,
      membership_id: `${home.tenant._id}|${guest.user!._id}`,
      method: 'saml',
      second_factor: true,
      sso_tenant_id: home.tenant._id,
      ip_address: '127.0.0.1',
      user_agent: 'jest',
    });
    const cookie = await parts.tokens.issue({ session_id: row._id, user_id: guest.user!._id, tenant_id: home.tenant._id });
    const vouched = guest.withCookieOf({ headers: new Headers({ 'set-cookie': `access_token=${cookie}` }) });
    const { token } = await invited(admin, guest.user!.email);
    expect((await accept(vouched, { token })).status).toBe(401);
    const sister = await world.tenant(home.tenant.organization_id);
    const within = await invited(await sister.as('tenant_admin'), guest.user!.email);
    expect((await accept(vouched, { token: within.token })).status).toBe(401);
    await world.database
      .tenant(home.tenant._id)
      .collection(ssoSettings)
      .update({ _id: home.tenant._id }, { $set: { set_by_org_admin: true } }, { upsert: true });
    expect((await accept(vouched, { token: within.token })).status).toBe(401);
  });

  it('makes no guest an org_admin, and no staff a member', async () => {
    const owner = await tenant.as('org_admin');
    const guest = await (await world.tenant()).as('analyst');
    const { token } = await invited(owner, guest.user!.email, 'org_admin');
    expect((await accept(guest, { token })).status).toBe(403);
    const staff = await (await world.tenant()).as('platform_admin');
    await world.database.system(users).update({ _id: staff.user!._id }, { $set: { organization_id: null } });
    expect((await accept(staff, { token: (await invited(admin, staff.user!.email)).token })).status).toBe(403);
    expect((await usersOf(owner)).map(([email]) => email)).not.toContain(guest.user!.email);

    const colleague = await (await world.tenant(tenant.tenant.organization_id)).as('analyst');
    const inside = await invited(owner, colleague.user!.email, 'org_admin');
    expect(await accept(colleague, { token: inside.token })).toMatchObject({ status: 200, body: { role: 'org_admin' } });
  });

  it('as an org_admin opens no session before a second factor was shown', async () => {
    const email = address();
    const { token } = await invited(await tenant.as('org_admin'), email, 'org_admin');
    const answer = await accept(world.anonymous, { token, password: GOOD_PASSWORD });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.body['status']).not.toBe('ok');
    expect(await usersOf(admin)).toContainEqual([email, 'org_admin']);
  });

  it('is 409 for who has become a member meanwhile', async () => {
    const guest = await (await world.tenant()).as('viewer');
    const { token } = await invited(admin, guest.user!.email, 'analyst');
    const target = { database: world.database, clock: systemClock, masterKey: world.auth.parts.masterKey };
    await addMembership(target, { tenant_id: tenant.tenant._id, user: guest.user!, role: 'viewer' });
    expect((await accept(guest, { token })).status).toBe(409);
    expect(await usersOf(admin)).toContainEqual([guest.user!.email, 'viewer']);
  });

  it('invitations of two tenants, accepted at the same time, make one account', async () => {
    const email = address();
    const other = await world.tenant();
    const tokens = [(await invited(admin, email)).token, (await invited(await other.as('tenant_admin'), email)).token];
    const answers = await Promise.all(tokens.map((token) => accept(world.anonymous, { token, password: GOOD_PASSWORD })));
    expect(answers.map(({ status }) => status).filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => [200, 409].includes(status))).toBe(true);
    expect(await world.database.system(users).count({ email })).toBe(1);
    const late = tokens[answers.findIndex(({ status }) => status === 409)];
    if (late) expect((await accept(world.anonymous, { token: late, password: GOOD_PASSWORD })).status).toBe(200);
  });
});
