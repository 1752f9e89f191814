import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { auditLog } from '../../kit/audit/audit.js';
import { systemClock } from '../../kit/base/clock.js';
import { takeDue } from '../../kit/work/due.js';
import { JobQueue, jobs } from '../../kit/work/jobs.js';
import { permissionsOf } from '../../schema/permissions.js';
import { systemAuthContext } from '../../kit/base/auth-context.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { outbox } from '../../kit/work/outbox.js';
import { notifications } from '../../subgraphs/events/notifications/records.js';
import { siemExports } from '../../subgraphs/events/siem/records.js';
import { webhookQueues } from '../../subgraphs/events/webhooks/queue-record.js';
import { until } from '../support/stand-in.js';
import { handOut, servicesOf } from '../events/hand-out.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

jest.setTimeout(600_000);

let world: World;
/** The tenant that is ended, and another one of the organization, from which it is. */
let tenant: TestTenant;
let home: TestTenant;
let boss: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  home = await world.tenant(tenant.tenant.organization_id);
  boss = await home.as('org_admin');
});
afterAll(() => world.close());

interface Shown {
  tenant_id: string;
  state: string;
  removal_at: string | null;
}
const path = () => `/api/v1/tenants/${tenant.tenant._id}`;
const end = (client: Client, name = 'Test') => client.call<Shown>(`${path()}?name=${encodeURIComponent(name)}`, { method: 'DELETE' });
const restore = (client: Client) => client.call<Shown>(`${path()}/restore`, { method: 'POST', body: {} });
const actions = async () =>
  (
    await world.database
      .tenant(tenant.tenant._id)
      .collection(auditLog)
      .find({}, { sort: { seq: 1 } })
  ).map(({ action }) => action);

describe('ending a tenant', () => {
  it('takes an org_admin in person who types its name', async () => {
    expect((await end(await tenant.as('tenant_admin'))).status).toBe(403);
    expect((await end(await tenant.as('viewer'))).status).toBe(403);
    expect(await end(boss, 'Tset')).toMatchObject({ status: 422, body: { detail: [{ path: 'name' }] } });
    expect((await boss.call(path(), { method: 'DELETE' })).status).toBe(400);
    const body = {
      name: 'Key',
      permissions: ['tenants:read', 'tenants:write'],
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const key = await boss.call<{ key: string }>('/api/v1/api-keys', { body });
    const headers = { authorization: `Bearer ${key.body.key}` };
    expect((await world.anonymous.call(`${path()}?name=Test`, { method: 'DELETE', headers })).status).toBe(403);
    const foreign = await (await world.tenant()).as('org_admin');
    expect((await end(foreign)).status).toBe(404);
    expect((await boss.call<Shown>(path())).body).toMatchObject({ state: 'active', removal_at: null });
  });

  it('signs everybody in it out, refuses keys and invitations, and shows it to org_admins with its day of removal', async () => {
    const admin = await tenant.as('tenant_admin');
    const body = { name: 'Key', permissions: ['tenants:read'], expires_at: new Date(Date.now() + 86_400_000).toISOString() };
    const key = (await admin.call<{ key: string }>('/api/v1/api-keys', { body })).body.key;
    const withKey = () => world.anonymous.call('/api/v1/tenants', { headers: { authorization: `Bearer ${key}` } });
    expect((await withKey()).status).toBe(200);
    const invited = await admin.call<{ link: string }>('/api/v1/invites', {
      body: { email: `${randomUUID()}@test.example`, role: 'viewer' },
    });
    const link = new URL(invited.body.link);
    const open = () => world.anonymous.call(link.pathname + link.search);
    expect((await open()).status).toBe(200);

    const { status, body: ended } = await end(boss);
    expect([status, ended.state]).toEqual([200, 'ended']);
    const days = (Date.parse(ended.removal_at!) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
    expect((await admin.call('/api/v1/users/me')).status).toBe(401);
    expect((await withKey()).status).toBe(401);
    expect((await open()).status).toBe(410);
    expect((await boss.call('/api/auth/switch-tenant', { body: { tenant_id: tenant.tenant._id } })).status).toBe(404);
    const list = await boss.call<{ items: Shown[] }>('/api/v1/tenants');
    expect(list.body.items.map(({ tenant_id, state }) => `${tenant_id} ${state}`).sort()).toEqual(
      [`${tenant.tenant._id} ended`, `${home.tenant._id} active`].sort(),
    );
    const me = await boss.call<{ tenants: Shown[] }>('/api/v1/users/me');
    expect(me.body.tenants.map(({ tenant_id }) => tenant_id)).toEqual([home.tenant._id]);
    expect((await end(boss)).status).toBe(409);
    expect((await boss.call(path(), { method: 'PATCH', body: { name: 'Other' } })).status).toBe(409);
  });

  it('is taken back within its days: keys work again, people sign in again, and both stand in the log', async () => {
    const admin = await tenant.as('tenant_admin');
    const body = { name: 'Key', permissions: ['tenants:read'], expires_at: new Date(Date.now() + 86_400_000).toISOString() };
    const key = (await admin.call<{ key: string }>('/api/v1/api-keys', { body })).body.key;
    expect((await restore(boss)).status).toBe(409);
    await end(boss);
    expect((await restore(await home.as('tenant_admin'))).status).toBe(403);
    expect(await restore(boss)).toMatchObject({ status: 200, body: { state: 'active', removal_at: null } });
    expect((await world.anonymous.call('/api/v1/tenants', { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    // sessions of before stay ended
    expect((await admin.call('/api/v1/users/me')).status).toBe(401);
    expect((await boss.call('/api/auth/switch-tenant', { body: { tenant_id: tenant.tenant._id } })).status).toBe(200);
    expect(await actions()).toEqual(['tenant.create', 'apikey.create', 'tenant.end', 'tenant.restore', 'user.switch_tenant']);
    expect((await world.auth.parts.audit.verify(tenant.tenant._id)).broken).toBeNull();
  });

  it('is refused once the removal has begun', async () => {
    await end(boss);
    await world.database
      .tenant(tenant.tenant._id)
      .collection(tenantEnds)
      .update({}, { $set: { removing: true } });
    expect((await restore(boss)).status).toBe(409);
  });

  it('leaves an organization that goes on somebody who can sign in', async () => {
    const only = await world.tenant();
    await world.tenant(only.tenant.organization_id);
    const within = await only.as('org_admin');
    const call = () => within.call(`/api/v1/tenants/${only.tenant._id}?name=Test`, { method: 'DELETE' });
    expect((await call()).status).toBe(409);
  });

  it('lets jobs and events of the tenant wait until it is taken back', async () => {
    const { tenant_id, organization_id, plan } = tenant.tenant;
    const kind = `test.${randomUUID()}`;
    const queue = new JobQueue(world.database, systemClock);
    const take = () =>
      takeDue(
        { database: world.database, storeClock: systemClock },
        { collection: jobs, where: { kind }, onTake: { $set: { state: 'leased' } } },
      );
    const auth = systemAuthContext({ tenant_id, organization_id, plan }, 'org_admin', permissionsOf('org_admin'));
    const add = () => world.database.transaction((transaction) => queue.add(transaction, auth, kind, {}));
    const running = await add();
    expect(await take()).toMatchObject({ _id: running });
    await end(boss);
    const lost = (await world.database.tenant(tenant_id).collection(jobs).findOne({ _id: running }))!;
    expect(lost).toMatchObject({ state: 'queued', leased_by: null });
    await add();
    expect(await take()).toBeNull();
    await restore(boss);
    expect(await take()).toMatchObject({ tenant_id });
    await handOut(servicesOf(world, {}), tenant_id);
  });

  it('sends nothing of it: no webhook, no notification, no export, while others go on', async () => {
    await end(boss);
    const past = (milliseconds: number) => new Date(Date.now() - milliseconds);
    const never = new Date(0);
    const kinds = [
      { collection: webhookQueues, row: { webhook_id: 'wh_none', not_before: never, leased_until: never, leased_by: null }, due: 'due_at' },
      { collection: notifications, row: { rule_id: 'none', state: 'waiting', attempts: 0, findings: [] }, due: 'due_at' },
      {
        collection: siemExports,
        row: {
          enabled: true,
          kind: 'webhook',
          format: 'ndjson',
          webhook: { url: 'https://127.0.0.1:1/', secret: 'x' },
          position: 0,
          failures: 0,
        },
        due: 'due_at',
      },
    ];
    for (const { collection, row, due } of kinds) {
      const rowsOf = (id: string) => world.database.tenant(id).collection<Record<string, unknown>>(collection as never);
      const add = (id: string, at: Date) => rowsOf(id).insert({ ...row, _id: `${id}|due`, [due]: at });
      // the one that was due first is the one that is left alone
      await add(tenant.tenant._id, past(60_000));
      const before = await rowsOf(tenant.tenant._id).findOne({});
      await add(home.tenant._id, past(1_000));
      const given = await rowsOf(home.tenant._id).findOne({});
      await until(`a worker on ${collection.name}`, async () => !isDeepStrictEqual(await rowsOf(home.tenant._id).findOne({}), given));
      expect(await rowsOf(tenant.tenant._id).findOne({})).toEqual(before);
    }
    expect(await world.database.tenant(tenant.tenant._id).collection(outbox).count({})).toBeGreaterThan(0);
  });
});
