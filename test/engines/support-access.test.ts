import { auditLog } from '../../kit/audit/audit.js';
import { systemClock } from '../../kit/base/clock.js';
import { memberships, organizations, users } from '../../accounts/records.js';
import { supportAccesses } from '../../accounts/support-access.js';
import { bucket, ocsf } from '../support/reports.js';
import { Client, openWorld, type TestTenant, type World } from '../support/world.js';

let world: World;
let operator: TestTenant;
let staff: Client;
beforeAll(async () => {
  world = await openWorld();
  operator = await world.tenant();
  staff = await freshStaff();
});
afterAll(() => world.close());

const PATH = '/api/v1/support-access';
const FINDINGS = '/api/v1/check/findings';
interface Access {
  id: string;
  state: string;
  expires_at: string | null;
}
interface Log {
  items: { action: string; actor_email: string; support: Record<string, string> | null; target: string }[];
}

/** A member of the operator's staff, signed in at the operator's tenant. */
async function freshStaff(): Promise<Client> {
  operator = await world.tenant();
  return operator.as('platform_admin');
}

const request = async (customer: TestTenant, by = staff): Promise<Access> => {
  const { status, body, text } = await by.call<Access>(PATH, { body: { tenant_id: customer.tenant._id, reason: 'Ticket 7', hours: 2 } });
  if (status !== 201) throw new Error(text);
  return body;
};
const approve = async (customer: TestTenant, id: string, body = {}) =>
  (await customer.as('tenant_admin')).call<Access>(`${PATH}/${id}/approve`, { body });
const revoke = (by: Client, id: string) => by.call<Access>(`${PATH}/${id}/revoke`, { method: 'POST' });
const enter = async (customer: TestTenant, by: Client) => {
  const answer = await by.call('/api/auth/switch-tenant', { body: { tenant_id: customer.tenant._id } });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? null;
  return { ...answer, client: new Client(world.url, cookie, by.user) };
};
/** A customer with a finding, and staff who has been let in. */
async function entered() {
  const customer = await world.tenant();
  const by = await freshStaff();
  await (await customer.as('analyst')).import(ocsf([{ rule: 'a', resource: bucket('a') }]));
  const access = await request(customer, by);
  await approve(customer, access.id);
  const { client, status, text } = await enter(customer, by);
  if (status !== 200) throw new Error(text);
  return { customer, by, access, client, home: operator.tenant._id };
}

describe('a request for support access', () => {
  it('grants nothing until a person of the tenant approves', async () => {
    const customer = await world.tenant();
    const by = await freshStaff();
    const access = await request(customer, by);
    expect(access).toMatchObject({ state: 'requested', staff_email: by.user!.email, reason: 'Ticket 7', hours: 2, expires_at: null });
    expect((await enter(customer, by)).status).toBe(404);
    expect((await approve(customer, access.id)).body).toMatchObject({ state: 'approved' });
    const { status, body, client } = await enter(customer, by);
    expect({ status, body }).toMatchObject({ status: 200, body: { role: 'platform_admin', tenant: { tenant_id: customer.tenant._id } } });
    expect((await client.call<{ tenant_id: string }>('/api/v1/users/me')).body.tenant_id).toBe(customer.tenant._id);
  });

  it('is listed by the tenant and by the staff member who made it, and by nobody else', async () => {
    const [customer, other] = [await world.tenant(), await world.tenant()];
    const [by, colleague] = [await freshStaff(), await freshStaff()];
    const { id } = await request(customer, by);
    const idsOf = async (client: Client) => (await client.call<{ items: Access[] }>(PATH)).body.items.map((item) => item.id);
    expect(await idsOf(await customer.as('tenant_admin'))).toEqual([id]);
    expect(await idsOf(by)).toEqual([id]);
    expect(await idsOf(await other.as('tenant_admin'))).toEqual([]);
    expect(await idsOf(colleague)).toEqual([]);
    const [theirs, absent] = await Promise.all([id, 'sup_absent'].map((one) => approve(other, one)));
    expect(theirs!.text).toBe(absent!.text);
    expect(theirs!.status).toBe(404);
    expect((await revoke(colleague, id)).status).toBe(404);
    expect((await customer.as('viewer')).call(PATH)).resolves.toMatchObject({ status: 403 });
  });

  it('is made by platform_admins alone, to a tenant that there is', async () => {
    const customer = await world.tenant();
    const body = { tenant_id: customer.tenant._id, reason: 'Ticket 7' };
    expect(await (await customer.as('org_admin')).call(PATH, { body })).toMatchObject({
      status: 403,
      body: { message: 'Missing role: platform_admin' },
    });
    expect((await staff.call(PATH, { body: { ...body, tenant_id: 'ten_absent' } })).status).toBe(404);
    for (const wrong of [{ hours: 9 }, { hours: 0 }, { reason: ' ' }])
      expect((await staff.call(PATH, { body: { ...body, ...wrong } })).status).toBe(422);
    expect((await staff.call(PATH, { body })).status).toBe(201);
  });

  it('lasts as long as the tenant says, at most eight hours', async () => {
    const customer = await world.tenant();
    const hours = async (body: object) => {
      const { id } = await request(customer);
      const answer = await approve(customer, id, body);
      return answer.status === 200 ? Math.round((Date.parse(answer.body.expires_at!) - Date.now()) / 3_600_000) : answer.status;
    };
    expect([await hours({}), await hours({ hours: 8 }), await hours({ hours: 9 }), await hours({ hours: 0 })]).toEqual([2, 8, 422, 422]);
  });

  it('that was answered, or has waited for three days, is answered no more', async () => {
    const customer = await world.tenant();
    const admin = await customer.as('tenant_admin');
    const denied = await request(customer);
    expect((await revoke(admin, denied.id)).body.state).toBe('denied');
    expect(await approve(customer, denied.id)).toMatchObject({ status: 409, body: { message: 'The support access is denied already' } });
    expect((await revoke(admin, denied.id)).status).toBe(409);
    const old = await request(customer);
    const requested_at = new Date(Date.now() - 73 * 3_600_000);
    await world.database.tenant(customer.tenant._id).collection(supportAccesses).update({ _id: old.id }, { $set: { requested_at } });
    expect(await approve(customer, old.id)).toMatchObject({ status: 409, body: { message: 'The support access is expired already' } });
    const twice = await request(customer);
    expect((await approve(customer, twice.id)).status).toBe(200);
    expect((await approve(customer, twice.id)).status).toBe(409);
  });
});

describe('staff in a tenant', () => {
  it('reads, triages and scans', async () => {
    const { client } = await entered();
    const { body } = await client.call<{ items: { finding_id: string }[] }>(FINDINGS);
    const path = `/api/v1/views/finding/check/${body.items[0]!.finding_id}/status`;
    expect((await client.call(path, { method: 'PATCH', body: { status: 'IN_PROGRESS' } })).status).toBe(200);
    expect((await client.call('/api/v1/scans/imports', { raw: JSON.stringify(ocsf([])) })).status).not.toBe(403);
    expect((await client.call('/api/v1/users')).status).toBe(200);
    expect((await client.call('/api/v1/audit-logs')).status).toBe(200);
  });

  it('changes nobody, no setting and no key, and answers no request for access', async () => {
    const { client, customer } = await entered();
    const member = await customer.as('viewer');
    const second = await request(customer);
    const refused: [string, string, Record<string, unknown>?][] = [
      ['PATCH', `/api/v1/users/${member.user!._id}/role`, { role: 'analyst' }],
      ['DELETE', `/api/v1/users/${member.user!._id}`],
      ['PATCH', `/api/v1/tenants/${customer.tenant._id}`, { name: 'Mine' }],
      ['POST', '/api/v1/api-keys', { name: 'k', permissions: ['check:read'], expires_at: new Date(Date.now() + 1e6).toISOString() }],
      ['POST', `${PATH}/${second.id}/approve`, {}],
      ['POST', `${PATH}/${second.id}/revoke`],
    ];
    for (const [method, path, body] of refused)
      expect({ path, status: (await client.call(path, { method, body })).status }).toEqual({ path, status: 403 });
    const again = await client.call(PATH, { body: { tenant_id: customer.tenant._id, reason: 'More' } });
    expect(again).toMatchObject({ status: 403, body: { message: "Ask from the operator's own tenant" } });
    expect((await client.call<{ permissions: string[] }>('/api/v1/users/me')).body.permissions).not.toContain('users:write');
  });

  it.each([
    ['the customer', async (customer: TestTenant, _by: Client, id: string) => revoke(await customer.as('tenant_admin'), id)],
    ['a colleague of the approver', async (customer: TestTenant, _by: Client, id: string) => revoke(await customer.as('org_admin'), id)],
  ])('is out at once when %s revokes', async (_who, end) => {
    const { customer, access, client, by } = await entered();
    expect((await client.call(FINDINGS)).status).toBe(200);
    expect((await end(customer, by, access.id)).body.state).toBe('revoked');
    expect((await client.call(FINDINGS)).status).toBe(401);
    expect((await client.call('/api/auth/refresh', { method: 'POST' })).status).toBe(401);
  });

  it('is out when the access ends, whatever the session says', async () => {
    const { customer, access, client } = await entered();
    const rows = world.database.tenant(customer.tenant._id).collection(supportAccesses);
    expect((await client.call(FINDINGS)).status).toBe(200);
    await rows.update({ _id: access.id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect((await client.call(FINDINGS)).status).toBe(401);
    await rows.update({ _id: access.id }, { $set: { expires_at: new Date(Date.now() + 60_000) } });
    expect((await client.call(FINDINGS)).status).toBe(200);
    await rows.update({ _id: access.id }, { $set: { ended_at: new Date() } });
    expect((await client.call(FINDINGS)).status).toBe(401);
  });

  it('is out when the operator lets it go', async () => {
    const { client, by } = await entered();
    await world.database.system(memberships).remove({ user_id: by.user!._id });
    expect((await client.call(FINDINGS)).status).toBe(401);
  });

  it('ends the own access from the operator side', async () => {
    const customer = await world.tenant();
    const by = await freshStaff();
    const { id } = await request(customer, by);
    await approve(customer, id);
    expect((await revoke(by, id)).body.state).toBe('revoked');
    expect((await enter(customer, by)).status).toBe(404);
    const withdrawn = await request(customer, by);
    expect((await revoke(by, withdrawn.id)).body.state).toBe('revoked');
  });

  it('goes home again, and comes in as long as the access lasts', async () => {
    const { client, customer, by, home } = await entered();
    const back = await client.call('/api/auth/switch-tenant', { body: { tenant_id: home } });
    expect(back.status).toBe(200);
    const again = new Client(world.url, back.headers.get('set-cookie')!.split(';')[0]!, by.user);
    expect((await again.call<{ permissions: string[] }>('/api/v1/users/me')).body.permissions).toContain('users:write');
    expect((await enter(customer, again)).status).toBe(200);
    const other = await world.tenant();
    expect((await enter(other, again)).status).not.toBe(200);
  });

  it('stands in every audit entry with both names, under the hash', async () => {
    const { client, customer, access, by } = await entered();
    const { body } = await client.call<{ items: { finding_id: string }[] }>(FINDINGS);
    await client.call(`/api/v1/views/finding/check/${body.items[0]!.finding_id}/status`, {
      method: 'PATCH',
      body: { status: 'IN_PROGRESS' },
    });
    await client.call('/api/auth/logout', { method: 'POST' });
    const admin = await customer.as('tenant_admin');
    const { items } = (await admin.call<Log>('/api/v1/audit-logs')).body;
    const both = { access_id: access.id, staff: by.user!.email, approved_by: admin.user!.email };
    const told = Object.fromEntries(items.map((item) => [item.action, item.support]));
    expect(told).toMatchObject({ 'user.logout': both, 'finding.status': both, 'support.enter': both });
    expect(told).toMatchObject({ 'support.approve': null, 'support.request': null });
    const { audit } = world.auth.parts;
    expect((await audit.verify(customer.tenant._id)).broken).toBeNull();
    const log = world.database.tenant(customer.tenant._id).collection(auditLog);
    const row = (await log.findOne({ action: 'finding.status' }))!;
    await log.update({ _id: row._id }, { $set: { 'support.approved_by': 'somebody@else.example' } });
    expect((await audit.verify(customer.tenant._id)).broken).toMatchObject({ seq: row.seq });
  });

  it('names both in the entry of its end, from wherever that is ended', async () => {
    const { client, customer, access, by, home } = await entered();
    const row = { user_id: by.user!._id, tenant_id: home, membership_id: `${home}|${by.user!._id}` };
    const { _id: session_id } = await world.auth.parts.sessions.create({
      ...row,
      method: 'password',
      second_factor: true,
      ip_address: '192.0.2.1',
      user_agent: 'home',
    });
    const atHome = new Client(world.url, `access_token=${await world.auth.parts.tokens.issue({ ...row, session_id })}`, by.user);
    const { body } = await atHome.call<{ id: string; tenant_id: string }[]>('/api/v1/users/me/sessions');
    const { id } = body.find(({ tenant_id }) => tenant_id === customer.tenant._id)!;
    expect((await atHome.call(`/api/v1/users/me/sessions/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await client.call('/api/v1/users/me')).status).toBe(401);
    const log = await (await customer.as('tenant_admin')).call<Log>('/api/v1/audit-logs?action=user.logout');
    expect(log.body.items).toMatchObject([{ support: { access_id: access.id, staff: by.user!.email } }]);
  });
});

describe('a platform_admin', () => {
  it("has no session in a customer's tenant by a membership there", async () => {
    const customer = await world.tenant();
    const analyst = await customer.as('analyst');
    const rows = world.database.tenant(customer.tenant._id).collection(memberships);
    expect((await analyst.call(FINDINGS)).status).toBe(200);
    await rows.update({ user_id: analyst.user!._id }, { $set: { role: 'platform_admin' } });
    expect((await analyst.call(FINDINGS)).status).toBe(401);
    await rows.update({ user_id: analyst.user!._id }, { $set: { role: 'analyst' } });
    expect((await analyst.call(FINDINGS)).status).toBe(200);
  });

  it("does not switch to a customer's tenant by a membership there", async () => {
    const customer = await world.tenant();
    const by = await freshStaff();
    const membership = {
      _id: `${customer.tenant._id}|${by.user!._id}`,
      tenant_id: customer.tenant._id,
      user_id: by.user!._id,
      email: by.user!.email,
      role: 'platform_admin' as const,
      created_at: systemClock.now(),
    };
    await world.database.tenant(customer.tenant._id).collection(memberships).insert(membership);
    expect((await enter(customer, by)).status).toBe(404);
  });

  it("is one of the operator's own people, in an organization that is the operator's", async () => {
    const by = await freshStaff();
    expect((await by.call(FINDINGS)).status).toBe(200);
    const people = world.database.system(users);
    await people.update({ _id: by.user!._id }, { $set: { organization_id: null } });
    expect((await by.call(FINDINGS)).status).toBe(200);
    await people.update({ _id: by.user!._id }, { $set: { organization_id: 'org_customer' } });
    expect((await by.call(FINDINGS)).status).toBe(401);
    await people.update({ _id: by.user!._id }, { $set: { organization_id: by.user!.organization_id } });
    await world.database.system(organizations).update({ _id: by.user!.organization_id }, { $unset: { operator: '' } });
    expect((await by.call(FINDINGS)).status).toBe(401);
  });
});
