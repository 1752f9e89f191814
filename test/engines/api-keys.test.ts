import { auditLog } from '../../kit/audit/audit.js';
import { apiKeys } from '../../accounts/api-keys/records.js';
import { membershipId, memberships, tenants, users } from '../../accounts/records.js';
import { addMembership } from '../../accounts/seed.js';
import { bucket, ocsf } from '../support/reports.js';
import { Client, openWorld, type Answer, type TestTenant, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const FINDINGS = '/api/v1/check/findings';

interface KeyOnce {
  id: string;
  key: string;
  prefix: string;
  state: string;
}

/** Asks with an API key instead of a cookie. */
const asking = (key: string) => {
  const client = new Client(world.url, null, null);
  return <Body = Record<string, unknown>>(path: string, options: Parameters<Client['call']>[1] = {}): Promise<Answer<Body>> =>
    client.call<Body>(path, { ...options, headers: { authorization: `Bearer ${key}`, ...options.headers } });
};

const make = (client: Client, permissions: readonly string[], extra: Record<string, unknown> = {}) =>
  client.call<KeyOnce>('/api/v1/api-keys', { body: { name: 'Pipeline', permissions, expires_at: inDays(30), ...extra } });

async function keyOf(
  tenant: TestTenant,
  permissions = ['scans:create', 'check:read', 'scans:read'],
  role: 'org_admin' | 'tenant_admin' = 'tenant_admin',
) {
  const owner = await tenant.as(role);
  const { status, body, text } = await make(owner, permissions);
  if (status !== 201) throw new Error(text);
  return { owner, ...body, ask: asking(body.key) };
}

describe('an API key', () => {
  it('is shown once, stored as a hash, and listed by its prefix', async () => {
    const tenant = await world.tenant();
    const { owner, id, key, prefix } = await keyOf(tenant);
    expect(key).toMatch(/^psk_[0-9a-f]{12}_[A-Za-z0-9_-]{43}$/);
    expect(key.startsWith(`${prefix}_`)).toBe(true);
    const row = await world.database.tenant(tenant.tenant._id).collection(apiKeys).findOne({ _id: id });
    expect(JSON.stringify(row)).not.toContain(key.slice(-43));
    const list = await owner.call<{ items: Record<string, unknown>[] }>('/api/v1/api-keys');
    expect(list.body.items).toEqual([
      {
        id,
        prefix,
        name: 'Pipeline',
        permissions: ['check:read', 'scans:read', 'scans:create'],
        owner_email: owner.user!.email,
        state: 'active',
        created_at: expect.any(String),
        expires_at: expect.any(String),
        last_used_at: null,
        last_used_ip: null,
      },
    ]);
    for (const text of [list.text, (await owner.call('/api/v1/audit-logs')).text]) {
      expect(text).not.toContain(key.slice(-43));
      expect(text).not.toContain(row!.secret_hash);
    }
  });

  it('calls REST and the graph for its owner, without a cookie and without the checks against foreign sites', async () => {
    const { owner, ask } = await keyOf(await world.tenant());
    expect((await ask(FINDINGS)).status).toBe(200);
    expect((await ask<{ user_id: string }>('/api/v1/users/me')).body.user_id).toBe(owner.user!._id);
    const answer = await ask('/graphql', { body: { query: '{ check_findings { total } }' }, headers: { 'sec-fetch-site': 'cross-site' } });
    expect(answer).toMatchObject({ status: 200, body: { data: { check_findings: { total: 0 } } } });
    const imported = await ask('/api/v1/scans/imports?scan_run_id=by-key', {
      raw: JSON.stringify(ocsf([{ rule: 'a', resource: bucket('a') }])),
    });
    expect(imported.status).toBe(202);
    expect((await ask(FINDINGS)).headers.get('set-cookie')).toBeNull();
  });

  it('has its own permissions and no others, whatever its owner holds', async () => {
    const tenant = await world.tenant();
    const { ask, owner } = await keyOf(tenant, ['check:read']);
    const elsewhere = { tenant_id: (await world.tenant()).tenant._id, user: owner.user!, role: 'viewer' as const };
    await addMembership({ ...world.auth.parts }, elsewhere);
    expect((await ask(FINDINGS)).status).toBe(200);
    for (const [path, permission] of [
      ['/api/v1/secops/findings', 'secops:read'],
      ['/api/v1/users', 'users:read'],
      ['/api/v1/audit-logs', 'tenants:read'],
    ])
      expect(await ask(path!)).toMatchObject({ status: 403, body: { message: `Missing permission: ${permission}` } });
    const { body: me } = await ask<{ permissions: string[]; tenants: { tenant_id: string }[] }>('/api/v1/users/me');
    expect(me.permissions).toEqual(['check:read']);
    expect(me.tenants.map(({ tenant_id }) => tenant_id)).toEqual([tenant.tenant._id]);
    expect((await ask('/graphql', { body: { query: '{ secops_findings { total } }' } })).status).toBe(403);
  });

  it("loses with its owner's role, and is nothing without its owner", async () => {
    const tenant = await world.tenant();
    await tenant.as('org_admin');
    const { owner, ask, id } = await keyOf(tenant, ['check:read', 'secops:read']);
    const rows = world.database.tenant(tenant.tenant._id).collection(memberships);
    const _id = membershipId(tenant.tenant._id, owner.user!._id);
    expect((await ask('/api/v1/secops/findings')).status).toBe(200);
    await rows.update({ _id }, { $set: { role: 'viewer' } });
    expect((await ask('/api/v1/secops/findings')).status).toBe(403);
    expect((await ask(FINDINGS)).status).toBe(200);

    const people = world.database.system(users);
    await people.update({ _id: owner.user!._id }, { $set: { state: 'disabled' } });
    expect((await ask(FINDINGS)).status).toBe(401);
    await people.update({ _id: owner.user!._id }, { $set: { state: 'active' } });
    expect((await ask(FINDINGS)).status).toBe(200);

    const admin = await tenant.as('org_admin');
    expect((await admin.call(`/api/v1/users/${owner.user!._id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(FINDINGS)).status).toBe(401);
    // somebody who left and comes back has no keys of old
    const again = { _id, tenant_id: tenant.tenant._id, user_id: owner.user!._id, email: owner.user!.email, role: 'tenant_admin' as const };
    await rows.insert({ ...again, created_at: new Date(Date.now() + 1000) });
    expect((await ask(FINDINGS)).status).toBe(401);
    const { body } = await admin.call<{ items: { id: string; state: string }[] }>('/api/v1/api-keys');
    expect(body.items).toMatchObject([{ id, state: 'disabled' }]);
  });

  it('of an org_admin who had switched works in that tenant alone', async () => {
    const first = await world.tenant();
    const second = await world.tenant(first.tenant.organization_id);
    const admin = await first.as('org_admin');
    const switched = await admin.call('/api/auth/switch-tenant', { body: { tenant_id: second.tenant._id } });
    const there = new Client(world.url, switched.headers.get('set-cookie')!.split(';')[0]!, admin.user);
    const { body } = await make(there, ['check:read', 'tenants:read']);
    const me = await asking(body.key)<{ tenant_id: string; role: string }>('/api/v1/users/me');
    expect(me.body).toMatchObject({ tenant_id: second.tenant._id, role: 'org_admin' });
    const listed = async () =>
      (await (await second.as('tenant_admin')).call<{ items: { state: string }[] }>('/api/v1/api-keys')).body.items.map(
        ({ state }) => state,
      );
    const rows = world.database.tenant(first.tenant._id).collection(memberships);
    const as = (role: 'tenant_admin' | 'org_admin') => rows.update({ user_id: admin.user!._id }, { $set: { role } });
    await as('tenant_admin');
    expect([(await asking(body.key)(FINDINGS)).status, await listed()]).toEqual([401, ['disabled']]);
    await as('org_admin');
    expect([(await asking(body.key)(FINDINGS)).status, await listed()]).toEqual([200, ['active']]);
    await world.database.system(tenants).update({ _id: second.tenant._id }, { $set: { organization_id: 'org_elsewhere' } });
    expect((await asking(body.key)(FINDINGS)).status).toBe(401);
  });

  it('ends at its time, and at once when it is revoked', async () => {
    const tenant = await world.tenant();
    const [late, revoked] = [await keyOf(tenant), await keyOf(tenant)];
    const rows = world.database.tenant(tenant.tenant._id).collection(apiKeys);
    expect((await late.ask(FINDINGS)).status).toBe(200);
    await rows.update({ _id: late.id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect((await late.ask(FINDINGS)).status).toBe(401);
    expect((await revoked.ask(FINDINGS)).status).toBe(200);
    expect((await revoked.owner.call(`/api/v1/api-keys/${revoked.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await revoked.ask(FINDINGS)).status).toBe(401);
    expect((await revoked.owner.call(`/api/v1/api-keys/${revoked.id}`, { method: 'DELETE' })).status).toBe(404);
    const { body } = await late.owner.call<{ items: { state: string }[] }>('/api/v1/api-keys');
    expect(body.items.map(({ state }) => state)).toEqual(['expired']);
  });

  it('notes its last use, at most once a minute', async () => {
    const tenant = await world.tenant();
    const { ask, id } = await keyOf(tenant);
    const rows = world.database.tenant(tenant.tenant._id).collection(apiKeys);
    await ask(FINDINGS);
    const first = await rows.findOne({ _id: id });
    expect(first).toMatchObject({ last_used_ip: '127.0.0.1', last_used_at: expect.any(Date) });
    await ask(FINDINGS);
    expect((await rows.findOne({ _id: id }))!.last_used_at).toEqual(first!.last_used_at);
    const before = new Date(Date.now() - 61_000);
    await rows.update({ _id: id }, { $set: { last_used_at: before } });
    await ask(FINDINGS);
    expect((await rows.findOne({ _id: id }))!.last_used_at!.getTime()).toBeGreaterThan(before.getTime());
  });

  it('is told in the audit log beside its owner', async () => {
    const tenant = await world.tenant();
    const { owner, ask, id } = await keyOf(tenant);
    await ask('/api/v1/scans/imports?scan_run_id=audited', { raw: JSON.stringify(ocsf([{ rule: 'a', resource: bucket('a') }])) });
    await owner.call(`/api/v1/api-keys/${id}`, { method: 'DELETE' });
    const { body } = await owner.call<{ items: Record<string, unknown>[] }>(
      '/api/v1/audit-logs?action=apikey.create,apikey.delete,scan.trigger',
    );
    expect(body.items.map(({ action, actor_email, api_key_id, target }) => [action, actor_email, api_key_id, target])).toEqual([
      ['apikey.delete', owner.user!.email, null, `api_key:${id}`],
      ['scan.trigger', owner.user!.email, id, 'scan_run:audited'],
      ['apikey.create', owner.user!.email, null, `api_key:${id}`],
    ]);
    const log = world.database.tenant(tenant.tenant._id).collection(auditLog);
    const { parts } = world.auth;
    expect((await parts.audit.verify(tenant.tenant._id)).broken).toBeNull();
    const row = (await log.findOne({ api_key_id: id }))!;
    await log.update({ _id: row._id }, { $set: { api_key_id: 'another' } });
    expect((await parts.audit.verify(tenant.tenant._id)).broken).toMatchObject({ seq: row.seq });
  });
});

describe('what is refused', () => {
  it('a key beside a cookie is a 400, and any other bearer token a 401', async () => {
    const { owner, key, ask } = await keyOf(await world.tenant());
    const both = await ask(FINDINGS, { headers: { cookie: owner.cookie! } });
    expect(both).toMatchObject({ status: 400, body: { error_code: 'BAD_REQUEST' } });
    const [, prefix, secret] = /^psk_([0-9a-f]+)_(.*)$/.exec(key)!;
    const wrong = [
      '',
      'x',
      owner.cookie!.split('=')[1]!,
      `psk_${prefix}_${'A'.repeat(43)}`,
      `psk_000000000000_${secret}`,
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
      `psk_${prefix}_`,
    ];
    for (const token of wrong) {
      const answer = await asking(token)(FINDINGS);
      expect({ token, status: answer.status }).toEqual({ token, status: 401 });
      expect((await asking(token)('/graphql', { body: { query: '{ check_findings { total } }' } })).status).toBe(401);
    }
    expect((await ask(FINDINGS)).status).toBe(200);
  });

  it('a key is no session: it signs nobody out or in, and switches nothing', async () => {
    const { ask, owner } = await keyOf(await world.tenant());
    for (const path of ['refresh', 'logout', 'switch-tenant'])
      expect(
        (await ask(`/api/auth/${path}`, { method: 'POST', body: path === 'switch-tenant' ? { tenant_id: 'x' } : undefined })).status,
      ).toBe(401);
    expect((await owner.call(FINDINGS)).status).toBe(200);
  });

  it('a key makes no key, lets nobody in, approves no support and has no sessions, even with every permission of its owner', async () => {
    const tenant = await world.tenant();
    const owner = await tenant.as('org_admin');
    const { body: me } = await owner.call<{ permissions: string[] }>('/api/v1/users/me');
    const { ask, id } = await keyOf(tenant, me.permissions, 'org_admin');
    const body = { name: 'Another', permissions: ['check:read'], expires_at: inDays(1) };
    const person = { status: 403, body: { message: 'API keys may not do this; a person must sign in' } };
    expect(await ask('/api/v1/api-keys', { body })).toMatchObject(person);
    expect(await ask('/api/v1/support-access/none/approve', { body: {} })).toMatchObject(person);
    // whoever names the identity provider names the people
    expect(await ask('/api/v1/settings/sso', { method: 'PUT', body: { default_role: 'tenant_admin' } })).toMatchObject(person);
    expect(await ask('/api/v1/users/me/sessions')).toMatchObject(person);
    expect(await ask('/api/v1/users/me/sessions/none', { method: 'DELETE' })).toMatchObject(person);
    expect((await ask('/graphql', { body: { query: '{ my_sessions { id } }' } })).status).toBe(403);
    // an identity provider of the key's choice would let in anybody as anyone
    expect(await ask('/api/v1/settings/sso', { method: 'PUT', body: { default_role: 'viewer' } })).toMatchObject(person);
    expect(await ask('/api/v1/settings/mfa-policy', { method: 'PUT', body: { policy: 'none' } })).toMatchObject(person);
    expect(await ask('/api/v1/invites', { body: { email: 'new@test.example', role: 'tenant_admin' } })).toMatchObject(person);
    expect(await ask('/api/v1/users/none/role', { method: 'PATCH', body: { role: 'viewer' } })).toMatchObject(person);
    expect((await ask('/api/v1/users')).status).toBe(200);
    expect(await ask(`/api/v1/api-keys/${id}`, { method: 'DELETE' })).toMatchObject(person);
    expect((await owner.call(`/api/v1/api-keys/${id}`, { method: 'DELETE' })).status).toBe(204);
  });

  it.each([
    [
      'a permission that the caller lacks',
      { permissions: ['check:read', 'billing:read', 'accounts:write'] },
      ['billing:read', 'accounts:write'],
    ],
    ['a permission that is none', { permissions: ['check:read', 'everything'] }, ['is not a permission']],
    ['no permission', { permissions: [] }, ['at least one permission']],
    ['no end', { expires_at: undefined }, ['is required']],
    ['an end in the past', { expires_at: inDays(-1) }, ['at most one year']],
    ['an end in two years', { expires_at: inDays(730) }, ['at most one year']],
    ['no name', { name: ' ' }, ['must not be empty']],
  ])('to make a key with %s is a 422', async (_case, input, words) => {
    const admin = await (await world.tenant()).as('tenant_admin');
    const answer = await make(admin, ['check:read'], input as Record<string, unknown>);
    expect(answer.status).toBe(422);
    for (const word of words) expect(answer.text).toContain(word);
    expect((await admin.call<{ total: number }>('/api/v1/api-keys')).body.total).toBe(0);
  });

  it("a tenant's keys are not another's to see or to revoke", async () => {
    const { id, ask } = await keyOf(await world.tenant());
    const stranger = await (await world.tenant()).as('tenant_admin');
    expect((await stranger.call<{ total: number }>('/api/v1/api-keys')).body.total).toBe(0);
    const [theirs, absent] = [id, '000000000000'].map((one) => stranger.call(`/api/v1/api-keys/${one}`, { method: 'DELETE' }));
    expect((await theirs!).text).toBe((await absent!).text);
    expect((await theirs!).status).toBe(404);
    expect((await ask(FINDINGS)).status).toBe(200);
  });
});
