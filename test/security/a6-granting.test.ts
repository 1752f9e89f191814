import { randomUUID } from 'node:crypto';
import type { Role } from '../../schema/permissions.js';
import { memberships, membershipId } from '../../accounts/records.js';
import { invite, invited } from '../support/invitations.js';
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
const setRole = (client: Client, user: Client, role: Role) =>
  client.call(`/api/v1/users/${user.user!._id}/role`, { method: 'PATCH', body: { role } });
const remove = (client: Client, user: Client) => client.call(`/api/v1/users/${user.user!._id}`, { method: 'DELETE' });
const roleOf = async (user: Client) => {
  const _id = membershipId(tenant.tenant._id, user.user!._id);
  return (await world.database.tenant(tenant.tenant._id).collection(memberships).findOne({ _id }))?.role;
};

describe('A6', () => {
  it('a tenant_admin invites up to tenant_admin: org_admin and platform_admin are 403', async () => {
    for (const role of ['org_admin', 'platform_admin'] as const)
      expect(await invite(admin, address(), role)).toMatchObject({ status: 403, body: { error_code: 'FORBIDDEN' } });
    expect((await invite(await tenant.as('org_admin'), address(), 'platform_admin')).status).toBe(403);
    for (const role of ['tenant_admin', 'analyst', 'viewer'] as const) expect((await invite(admin, address(), role)).status).toBe(201);
    expect((await invite(await tenant.as('org_admin'), address(), 'org_admin')).status).toBe(201);
  });

  it("a tenant_admin neither reissues nor revokes an org_admin's invitation", async () => {
    const owner = await tenant.as('org_admin');
    const { id } = await invited(owner, address(), 'org_admin');
    expect((await admin.call(`/api/v1/invites/${id}/reissue`, { method: 'POST' })).status).toBe(403);
    expect((await admin.call(`/api/v1/invites/${id}`, { method: 'DELETE' })).status).toBe(403);
    expect((await owner.call(`/api/v1/invites/${id}/reissue`, { method: 'POST' })).status).toBe(200);
    expect((await owner.call(`/api/v1/invites/${id}`, { method: 'DELETE' })).status).toBe(204);
  });

  it('a tenant_admin promotes nobody to org_admin and touches no org_admin', async () => {
    const analyst = await tenant.as('analyst');
    const owner = await tenant.as('org_admin');
    expect((await setRole(admin, analyst, 'org_admin')).status).toBe(403);
    expect((await setRole(admin, analyst, 'platform_admin')).status).toBe(403);
    expect((await setRole(admin, owner, 'viewer')).status).toBe(403);
    expect((await remove(admin, owner)).status).toBe(403);
    expect([await roleOf(analyst), await roleOf(owner)]).toEqual(['analyst', 'org_admin']);
    expect((await setRole(admin, analyst, 'tenant_admin')).status).toBe(200);
    expect((await setRole(owner, analyst, 'org_admin')).status).toBe(200);
    expect(await roleOf(analyst)).toBe('org_admin');
  });

  it('nobody edits or removes themselves', async () => {
    for (const role of ['tenant_admin', 'org_admin'] as const) {
      const own = await tenant.as(role);
      expect((await setRole(own, own, 'viewer')).status).toBe(403);
      expect((await remove(own, own)).status).toBe(403);
      expect(await roleOf(own)).toBe(role);
    }
    expect((await setRole(await tenant.as('org_admin'), admin, 'viewer')).status).toBe(200);
  });

  it('the last administrator is neither demoted nor removed: 422', async () => {
    // an org_admin who is a member of a sister tenant only reaches this one, and is none of its members
    const sister = await world.tenant(tenant.tenant.organization_id);
    const outer = await (await sister.as('org_admin')).call('/api/auth/switch-tenant', { body: { tenant_id: tenant.tenant._id } });
    const owner = (await sister.as('org_admin')).withCookieOf(outer);
    expect((await setRole(owner, admin, 'viewer')).status).toBe(422);
    expect((await remove(owner, admin)).status).toBe(422);
    expect(await roleOf(admin)).toBe('tenant_admin');
    await setRole(owner, await tenant.as('analyst'), 'tenant_admin');
    expect((await remove(owner, admin)).status).toBe(204);
  });

  it('a tenant_admin makes no tenant, an org_admin does, in the own organization', async () => {
    const body = { name: 'Another' };
    expect(await admin.call('/api/v1/tenants', { body })).toMatchObject({ status: 403, body: { error_code: 'FORBIDDEN' } });
    for (const role of ['analyst', 'viewer'] as const)
      expect((await (await tenant.as(role)).call('/api/v1/tenants', { body })).body['message']).toBe('Missing permission: tenants:write');
    const owner = await tenant.as('org_admin');
    const wider = await owner.call('/api/v1/tenants', { body: { ...body, plan: 'enterprise' } });
    expect(wider).toMatchObject({ status: 422, body: { detail: [{ path: 'plan' }] } });
    const made = await owner.call<{ tenant_id: string }>('/api/v1/tenants', { body });
    expect(made).toMatchObject({ status: 201, body: { name: 'Another', organization_id: tenant.tenant.organization_id, plan: 'growth' } });
    expect((await owner.call(`/api/v1/tenants/${made.body.tenant_id}`)).status).toBe(200);
    expect((await admin.call(`/api/v1/tenants/${made.body.tenant_id}`)).status).toBe(404);
  });
});
