import { secondSteps } from '../../accounts/factors/records.js';
import { addMembership } from '../../accounts/seed.js';
import { sessions } from '../../accounts/session-record.js';
import { ssoSettings, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { users } from '../../accounts/records.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  client = await tenant.as('analyst');
  // the same person's session in another tenant, which the platform has let in
  const elsewhere = await world.tenant();
  await world.auth.parts.sessions.create({
    user_id: client.user!._id,
    tenant_id: elsewhere.tenant._id,
    membership_id: 'none',
    method: 'password',
    second_factor: true,
    ip_address: '192.0.2.1',
    user_agent: 'elsewhere',
  });
});
afterAll(() => world.close());

/** Lets the tenant's identity provider vouch for the client's session. */
async function vouch(set_by_org_admin: boolean): Promise<void> {
  const { _id } = tenant.tenant;
  const row: SsoSettingsRow = {
    _id,
    tenant_id: _id,
    saml: null,
    oauth: null,
    group_mappings: [],
    default_role: null,
    set_by_org_admin,
    verified_at: null,
    last_test: null,
    updated_at: new Date(),
  };
  await world.database.tenant(_id).collection(ssoSettings).insert(row);
  const mine = { user_id: client.user!._id, tenant_id: _id };
  await world.database.system(sessions).update(mine, { $set: { method: 'saml', sso_tenant_id: _id } });
}

const enroll = async () => (await client.call('/api/v1/users/me/mfa', { body: { method: 'totp' } })).status;
const listed = async () => (await client.call<{ tenant_id: string }[]>('/api/v1/users/me/sessions')).body.map(({ tenant_id }) => tenant_id);

describe('a session that the platform has let in', () => {
  it('speaks for the whole account', async () => {
    expect(await enroll()).toBe(200);
    expect(await listed()).toHaveLength(2);
  });
});

describe('a session that an identity provider vouches for', () => {
  it('speaks for its own tenant where a tenant_admin has set the provider, who could name anybody', async () => {
    await vouch(false);
    expect(await enroll()).toBe(403);
    expect(await listed()).toEqual([tenant.tenant._id]);
  });

  it("speaks for its own tenant where it is linked to a person's own account, whoever has set the provider", async () => {
    await vouch(true);
    expect(await enroll()).toBe(403);
    expect(await listed()).toEqual([tenant.tenant._id]);
  });

  it('speaks for the whole of an account that it has made, where an org_admin stands behind the provider', async () => {
    await vouch(true);
    await world.database.system(users).update({ _id: client.user!._id }, { $set: { sso_tenant_id: tenant.tenant._id } });
    expect(await enroll()).toBe(200);
    expect(await listed()).toHaveLength(2);
  });

  it('speaks for its own tenant where the person belongs to another organization', async () => {
    await vouch(true);
    const changes = { organization_id: 'another', sso_tenant_id: tenant.tenant._id };
    await world.database.system(users).update({ _id: client.user!._id }, { $set: changes });
    expect(await enroll()).toBe(403);
    expect(await listed()).toEqual([tenant.tenant._id]);
  });

  it('is told of the tenants that it can reach, and of no others', async () => {
    const { _id: user_id, email } = client.user!;
    const [sister, foreign] = [await world.tenant(tenant.tenant.organization_id), await world.tenant()];
    for (const { tenant: other } of [sister, foreign])
      await addMembership({ ...world.auth.parts }, { tenant_id: other._id, user: { _id: user_id, email }, role: 'viewer' });
    const told = async () =>
      (await client.call<{ tenants: { tenant_id: string }[] }>('/api/v1/users/me')).body.tenants.map(({ tenant_id }) => tenant_id).sort();
    const [here, within, beyond] = [tenant, sister, foreign].map((one) => one.tenant._id) as [string, string, string];
    expect(await told()).toEqual([here, within, beyond].sort());
    await vouch(false);
    expect(await told()).toEqual([here]);
    const behind = { $set: { set_by_org_admin: true } };
    await world.database.tenant(here).collection(ssoSettings).update({ _id: here }, behind);
    expect(await told()).toEqual([here, within].sort());
  });

  it('makes no org_admin: it ends when its person becomes one', async () => {
    await vouch(false);
    const [owner, path] = [await tenant.as('org_admin'), `/api/v1/users/${client.user!._id}/role`];
    expect((await owner.call(path, { method: 'PATCH', body: { role: 'tenant_admin' } })).status).toBe(200);
    expect((await client.call('/api/v1/users')).status).toBe(200);
    expect((await owner.call(path, { method: 'PATCH', body: { role: 'org_admin' } })).status).toBe(200);
    expect((await client.call('/api/v1/users/me')).status).toBe(401);
  });

  it('ends when other values of the provider are set, and so does a sign-in under way', async () => {
    await vouch(false);
    const step = { user_id: client.user!._id, tenant_ids: [tenant.tenant._id], method: 'saml' as const, user_agent: '', tries: 0 };
    const steps = world.database.system(secondSteps);
    for (const sso_tenant_id of [tenant.tenant._id, null])
      await steps.insert({
        ...step,
        _id: `${step.user_id} ${sso_tenant_id}`,
        sso_tenant_id,
        password_version: '',
        totp_sealed: null,
        expires_at: new Date(Date.now() + 60_000),
      });
    expect((await client.call('/api/v1/users/me')).status).toBe(200);
    const admin = await tenant.as('tenant_admin');
    const oauth = { enabled: false, issuer: 'https://other.example', client_id: 'one', client_secret: 'not shown to anybody' };
    expect((await admin.call('/api/v1/settings/sso', { method: 'PUT', body: { oauth } })).status).toBe(200);
    expect((await client.call('/api/v1/users/me')).status).toBe(401);
    expect((await admin.call('/api/v1/users/me')).status).toBe(200);
    expect(await steps.find({ user_id: step.user_id })).toMatchObject([{ sso_tenant_id: null }]);
  });
});
