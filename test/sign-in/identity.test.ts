import { graphql, type GraphQLSchema } from 'graphql';
import { finishSignIn } from '../../sign-in/finish-sign-in.js';
import { homesOf } from '../../sign-in/homes.js';
import { permissionsOf, PERMISSIONS, type Role } from '../../schema/permissions.js';
import { auditLog } from '../../kit/audit/audit.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { buildEngineSchema } from '../../kit/engine/schema.js';
import { engine } from '../../subgraphs/identity/engine.js';
import { membershipId, memberships } from '../../accounts/records.js';
import { addMembership, createOrganization, createTenant } from '../../accounts/seed.js';
import { sessions } from '../../accounts/session-record.js';
import { createWorld, tokenOf, type World } from './world.js';

let world: World;
let schema: GraphQLSchema;
let services: EngineServices;
const queryRequirements = new Map([
  ['check', ['check:read']],
  ['secops', ['secops:read']],
  ['onboarding', ['any', 'accounts:read']],
  ['admins', ['role:org_admin', 'model:inventory', 'person']],
]);

beforeAll(() => {
  schema = buildEngineSchema(engine);
});
beforeEach(async () => {
  world = await createWorld();
  services = { ...({} as EngineServices), database: world.database, masterKey: world.masterKey, clock: world.clock, queryRequirements };
});
afterEach(() => world.close());

interface Person {
  _id: string;
  email: string;
}

function contextOf(person: Person, role: Role, tenant = world.first): AuthContext {
  return {
    tenant_id: tenant.tenant_id,
    organization_id: tenant.organization_id,
    plan: tenant.plan,
    user_id: person._id,
    email: person.email,
    name: '',
    session_id: 'ses_test',
    role,
    permissions: permissionsOf(role),
    request_id: 'req',
    ip_address: '192.0.2.1',
  };
}

async function run(auth: AuthContext, source: string, variableValues: Record<string, unknown> = {}) {
  const contextValue = createEngineContext(services, 'identity', auth, new AbortController().signal);
  const { data, errors } = await graphql({ schema, source, contextValue, variableValues });
  return {
    data: data as Record<string, unknown> | null | undefined,
    error: errors?.[0]?.extensions['code'],
    detail: errors?.[0]?.extensions['detail'],
    message: errors?.[0]?.message,
  };
}

const SET_ROLE = 'mutation ($id: String!, $role: Role!) { set_user_role(user_id: $id, input: { role: $role }) { user_id role } }';
const REMOVE = 'mutation ($id: String!) { remove_user(user_id: $id) }';
const setRole = (auth: AuthContext, person: Person, role: Role) => run(auth, SET_ROLE, { id: person._id, role });
const remove = (auth: AuthContext, person: Person) => run(auth, REMOVE, { id: person._id });
const roleIn = async (person: Person) =>
  (
    await world.database
      .tenant(world.first.tenant_id)
      .collection(memberships)
      .findOne({ _id: membershipId(world.first.tenant_id, person._id) })
  )?.role;
const entries = async () =>
  (
    await world.database
      .tenant(world.first.tenant_id)
      .collection(auditLog)
      .find({ action: { $ne: 'tenant.create' } }, { sort: { seq: 1 } })
  ).map(({ action, actor_email, target_email, role }) => ({ action, actor_email, target_email, role }));

describe('changing a role', () => {
  test('it is audited, and in force on the next call of the session', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const ada = await world.member('ada@example.com', 'analyst');
    const token = tokenOf(await world.signIn('ada@example.com'));
    const { data } = await setRole(contextOf(admin, 'tenant_admin'), ada, 'viewer');
    expect(data).toEqual({ set_user_role: { user_id: ada._id, role: 'viewer' } });
    expect((await world.whoami(token)).json().role).toBe('viewer');
    expect((await entries()).at(-1)).toEqual({
      action: 'role.change',
      actor_email: 'admin@example.com',
      target_email: 'ada@example.com',
      role: 'viewer',
    });
  });

  test('A6: nobody grants a role above their own, manages their betters, or edits themselves', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const boss = await world.member('boss@example.com', 'org_admin');
    const ada = await world.member('ada@example.com', 'analyst');
    const as = contextOf(admin, 'tenant_admin');
    expect(await setRole(as, ada, 'org_admin')).toMatchObject({ error: 'FORBIDDEN' });
    expect(await setRole(as, ada, 'platform_admin')).toMatchObject({ error: 'FORBIDDEN' });
    expect(await setRole(contextOf(boss, 'org_admin'), ada, 'platform_admin')).toMatchObject({ error: 'FORBIDDEN' });
    expect(await setRole(as, admin, 'viewer')).toMatchObject({ error: 'FORBIDDEN' });
    expect(await setRole(as, boss, 'viewer')).toMatchObject({ error: 'FORBIDDEN' });
    expect(await remove(as, boss)).toMatchObject({ error: 'FORBIDDEN' });
    expect(await remove(as, admin)).toMatchObject({ error: 'FORBIDDEN' });
    expect([await roleIn(ada), await roleIn(admin), await roleIn(boss)]).toEqual(['analyst', 'tenant_admin', 'org_admin']);
    expect(await entries()).toEqual([]);
  });

  test('an org_admin makes org_admins of the people of the organization only', async () => {
    const boss = await world.member('boss@example.com', 'org_admin');
    const guest = await world.member('guest@example.com', 'analyst', undefined, { organization_id: null });
    const ada = await world.member('ada@example.com', 'analyst');
    expect(await setRole(contextOf(boss, 'org_admin'), guest, 'org_admin')).toMatchObject({ error: 'VALIDATION_ERROR' });
    expect(await setRole(contextOf(boss, 'org_admin'), ada, 'org_admin')).toMatchObject({ error: undefined });
  });

  test('the last active administrator is neither demoted nor removed', async () => {
    const boss = await world.user('boss@example.com');
    const admin = await world.member('admin@example.com', 'tenant_admin');
    await world.member('gone@example.com', 'tenant_admin', undefined, { state: 'disabled' });
    const as = contextOf(boss, 'org_admin');
    expect(await setRole(as, admin, 'viewer')).toMatchObject({ error: 'VALIDATION_ERROR', detail: [{ path: 'user_id' }] });
    expect(await remove(as, admin)).toMatchObject({ error: 'VALIDATION_ERROR' });
    await world.member('second@example.com', 'tenant_admin');
    expect(await remove(as, admin)).toMatchObject({ error: undefined });
  });

  test('two administrators who demote each other at once leave one', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await world.member(`one${round}@example.com`, 'tenant_admin');
      const two = await world.member(`two${round}@example.com`, 'tenant_admin');
      const outcomes = await Promise.all([remove(contextOf(one, 'tenant_admin'), two), remove(contextOf(two, 'tenant_admin'), one)]);
      expect(outcomes.filter(({ error }) => error === undefined)).toHaveLength(1);
      const left = await world.database.tenant(world.first.tenant_id).collection(memberships).find({ role: 'tenant_admin' });
      expect(left).toHaveLength(1);
      await world.database.tenant(world.first.tenant_id).collection(memberships).remove({});
    }
  });
});

describe('the org_admins of an organization', () => {
  test('two who demote or remove each other at once, in different tenants, leave one', async () => {
    const [first, second] = [world.first, world.second];
    await world.member('one@example.com', 'tenant_admin', first.tenant_id);
    await world.member('two@example.com', 'tenant_admin', second.tenant_id);
    for (let round = 0; round < 5; round++) {
      const here = await world.member(`here${round}@example.com`, 'org_admin', first.tenant_id);
      const there = await world.member(`there${round}@example.com`, 'org_admin', second.tenant_id);
      const outcomes = await Promise.all([
        remove(contextOf(here, 'org_admin', second), there),
        round % 2 === 0
          ? remove(contextOf(there, 'org_admin', first), here)
          : setRole(contextOf(there, 'org_admin', first), here, 'viewer'),
      ]);
      expect(outcomes.filter(({ error }) => error === undefined)).toHaveLength(1);
      expect(outcomes.find(({ error }) => error !== undefined)).toMatchObject({ error: 'VALIDATION_ERROR', detail: [{ path: 'user_id' }] });
      expect(await world.database.system(memberships).count({ role: 'org_admin' })).toBe(1);
      await world.database.system(memberships).remove({ role: 'org_admin' });
    }
  });

  test('one of several memberships of the last one may go', async () => {
    const [first, second] = [world.first, world.second];
    const boss = await world.member('boss@example.com', 'org_admin', first.tenant_id);
    await addMembership(world.seed, { tenant_id: second.tenant_id, user: boss, role: 'org_admin' });
    await world.member('one@example.com', 'tenant_admin', first.tenant_id);
    const as = contextOf(await world.user('other@example.com'), 'org_admin');
    expect(await remove(as, boss)).toMatchObject({ error: undefined });
    await world.member('two@example.com', 'tenant_admin', second.tenant_id);
    expect(await remove({ ...as, tenant_id: second.tenant_id }, boss)).toMatchObject({ error: 'VALIDATION_ERROR' });
  });
});

describe('removing a user', () => {
  test('access ends at once; the audit names the person for ever', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const ada = await world.member('ada@example.com', 'analyst');
    const token = tokenOf(await world.signIn('ada@example.com'));
    expect((await world.whoami(token)).statusCode).toBe(200);
    expect(await remove(contextOf(admin, 'tenant_admin'), ada)).toMatchObject({ data: { remove_user: true } });
    expect((await world.whoami(token)).statusCode).toBe(401);
    expect((await world.signIn('ada@example.com')).statusCode).toBe(401);
    expect((await entries()).at(-2) ?? null).toEqual({
      action: 'user.login',
      actor_email: 'ada@example.com',
      target_email: undefined,
      role: 'analyst',
    });
    expect((await entries()).at(-1)).toEqual({
      action: 'user.remove',
      actor_email: 'admin@example.com',
      target_email: 'ada@example.com',
      role: 'analyst',
    });
  });

  test('a sign-in under way ends with the membership: no session waits for the person to come back', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const user = await world.member('ada@example.com', 'analyst');
    const homes = await homesOf(world.auth.parts, user);
    expect(await remove(contextOf(admin, 'tenant_admin'), user)).toMatchObject({ data: { remove_user: true } });
    const signedIn = { user, homes, method: 'password' as const, second_factor: false, sso_tenant_id: null };
    const outcome = finishSignIn(world.auth.parts, { ip_address: '192.0.2.1', user_agent: '' }, signedIn);
    await expect(outcome).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await world.database.system(sessions).count({ user_id: user._id })).toBe(0);
  });

  test("another tenant's user answers as one that never was", async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const foreign = await world.member('foreign@example.com', 'analyst', world.second.tenant_id);
    const as = contextOf(admin, 'tenant_admin');
    for (const [one, other] of [
      [await remove(as, foreign), await remove(as, { _id: 'usr_absent', email: '' })],
      [await setRole(as, foreign, 'viewer'), await setRole(as, { _id: 'usr_absent', email: '' }, 'viewer')],
    ]) {
      expect(one).toMatchObject({ error: 'NOT_FOUND', message: 'User not found' });
      expect(one).toEqual(other);
    }
  });
});

describe('reading', () => {
  test('users are those of the tenant, paged by address, without secrets', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    await world.member('zoe@example.com', 'viewer');
    await world.member('foreign@example.com', 'viewer', world.second.tenant_id);
    const fields = 'user_id email name role state mfa last_login_at created_at';
    const query = `query ($page: Int, $role: [Role!]) { users(page: $page, page_size: 1, role: $role) { items { ${fields} } total page page_size has_more } }`;
    const as = contextOf(admin, 'tenant_admin');
    expect((await run(as, query, { page: 1 })).data!['users']).toMatchObject({
      items: [{ email: 'admin@example.com', role: 'tenant_admin', state: 'active', mfa: 'none' }],
      total: 2,
      has_more: true,
    });
    expect((await run(as, query, { page: 2 })).data!['users']).toMatchObject({ items: [{ email: 'zoe@example.com' }], has_more: false });
    expect((await run(as, query, { role: ['viewer'] })).data!['users']).toMatchObject({ items: [{ email: 'zoe@example.com' }], total: 1 });
    expect(await run(as, query, { page: 0 })).toMatchObject({ error: 'BAD_REQUEST' });
  });

  test("a user's last login is the one to the tenant that asks; what somebody does elsewhere is not told", async () => {
    const [here, there] = [await world.member('here@example.com', 'tenant_admin'), await world.user('there@example.com')];
    const guest = await world.member('guest@example.com', 'analyst');
    const theirs = { tenant_id: world.second.tenant_id, role: 'tenant_admin' as const };
    for (const user of [there, guest]) await addMembership(world.seed, { ...theirs, user });
    const last = async (admin: Person, tenant: typeof world.first) => {
      const { data } = await run(contextOf(admin, 'tenant_admin', tenant), '{ users { items { email last_login_at } } }');
      const { items } = data!['users'] as { items: { email: string; last_login_at: string | null }[] };
      return items.find(({ email }) => email === guest.email)!.last_login_at;
    };
    const [began, token] = [world.clock.now().toISOString(), tokenOf(await world.signIn('guest@example.com'))];
    expect([await last(here, world.first), await last(there, world.second)]).toEqual([null, began]);
    world.clock.advance(60_000);
    expect((await world.post('/api/auth/switch-tenant', token, { tenant_id: world.first.tenant_id })).statusCode).toBe(200);
    expect([await last(here, world.first), await last(there, world.second)]).toEqual([world.clock.now().toISOString(), began]);
  });

  test('me tells role, permissions, tenants and the engines that the role may read', async () => {
    const ada = await world.member('ada@example.com', 'viewer');
    await addMembership(world.seed, { tenant_id: world.second.tenant_id, user: ada, role: 'tenant_admin' });
    const query = '{ me { user_id email tenant_id role permissions readable_engines tenants { tenant_id role } } }';
    await world.sessionOf(ada);
    const [session] = await world.database.system(sessions).find({ user_id: ada._id });
    const me = (await run({ ...contextOf(ada, 'viewer'), session_id: session!._id }, query)).data!['me'];
    expect(me).toEqual({
      user_id: ada._id,
      email: 'ada@example.com',
      tenant_id: world.first.tenant_id,
      role: 'viewer',
      permissions: permissionsOf('viewer'),
      readable_engines: ['check'],
      tenants: [
        { tenant_id: world.first.tenant_id, role: 'viewer' },
        { tenant_id: world.second.tenant_id, role: 'tenant_admin' },
      ],
    });
    const admin = (await run(contextOf(ada, 'tenant_admin', world.second), query)).data!['me'] as { readable_engines: string[] };
    expect(admin.readable_engines).toEqual(['check', 'secops', 'onboarding']);
  });

  test('roles is the matrix of five roles and 27 permissions', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const { data } = await run(contextOf(admin, 'tenant_admin'), '{ roles { roles { role level permissions } permissions } }');
    const matrix = data!['roles'] as { roles: { role: string; permissions: string[] }[]; permissions: string[] };
    expect(matrix.permissions).toEqual(PERMISSIONS);
    expect(matrix.roles.map(({ role, permissions }) => [role, permissions.length])).toEqual([
      ['platform_admin', 27],
      ['org_admin', 27],
      ['tenant_admin', 25],
      ['analyst', 20],
      ['viewer', 10],
    ]);
  });
});

describe('tenants', () => {
  const QUERY = 'query ($id: String!) { tenant(tenant_id: $id) { tenant_id name settings { finding_retention_days time_zone } } }';
  const UPDATE =
    'mutation ($id: String!, $input: TenantInput!) { update_tenant(tenant_id: $id, input: $input) { name settings { finding_retention_days time_zone } } }';

  test('a tenant_admin sees the own one, an org_admin those of the organization, nobody a foreign one', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const boss = await world.member('boss@example.com', 'org_admin');
    const elsewhere = await createOrganization(world.seed, { name: 'Elsewhere' });
    const foreign = await createTenant(world.seed, { organization_id: elsewhere._id, name: 'Foreign' });
    const list = async (auth: AuthContext) =>
      ((await run(auth, '{ tenants { items { name } total } }')).data!['tenants'] as { items: { name: string }[] }).items.map(
        ({ name }) => name,
      );
    expect(await list(contextOf(admin, 'tenant_admin'))).toEqual(['First']);
    expect(await list(contextOf(boss, 'org_admin'))).toEqual(['First', 'Second']);
    const read = async (auth: AuthContext, id: string) => (await run(auth, QUERY, { id })).data!['tenant'];
    expect(await read(contextOf(admin, 'tenant_admin'), world.first.tenant_id)).toMatchObject({
      settings: { finding_retention_days: null, time_zone: 'UTC' },
    });
    expect(await read(contextOf(admin, 'tenant_admin'), world.second.tenant_id)).toBeNull();
    expect(await read(contextOf(boss, 'org_admin'), world.second.tenant_id)).toMatchObject({ name: 'Second' });
    for (const id of [foreign.tenant_id, 'ten_absent', '']) {
      expect(await read(contextOf(boss, 'org_admin'), id)).toBeNull();
      expect((await run(contextOf(boss, 'org_admin'), UPDATE, { id, input: { name: 'Mine' } })).data).toEqual({ update_tenant: null });
    }
  });

  test('an update changes what it names, and is audited in that tenant', async () => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const as = contextOf(admin, 'tenant_admin');
    const update = (input: object) => run(as, UPDATE, { id: world.first.tenant_id, input });
    await update({ settings: { time_zone: 'Europe/Vienna' } });
    const { data } = await update({ name: ' New name ', settings: { finding_retention_days: 90 } });
    expect(data).toEqual({ update_tenant: { name: 'New name', settings: { finding_retention_days: 90, time_zone: 'Europe/Vienna' } } });
    expect((await entries()).map(({ action }) => action)).toEqual(['tenant.update', 'tenant.update']);
    expect((await world.auth.parts.audit.verify(world.first.tenant_id)).broken).toBeNull();
  });

  test('the log names the API key that made or changed one', async () => {
    const boss = await world.member('boss@example.com', 'org_admin');
    const as = { ...contextOf(boss, 'org_admin'), api_key_id: '0123456789ab' };
    await run(as, UPDATE, { id: world.first.tenant_id, input: { name: 'Renamed' } });
    const made = await run(as, 'mutation { create_tenant(input: { name: "Third" }) { tenant_id } }');
    const { tenant_id } = made.data!['create_tenant'] as { tenant_id: string };
    for (const [id, action] of [
      [world.first.tenant_id, 'tenant.update'],
      [tenant_id, 'tenant.create'],
    ] as const)
      expect(await world.database.tenant(id).collection(auditLog).findOne({ action, actor_email: boss.email })).toMatchObject({
        role: 'org_admin',
        api_key_id: '0123456789ab',
      });
  });

  test.each([
    [{}, 'input'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ settings: { finding_retention_days: 0 } }, 'settings.finding_retention_days'],
    [{ settings: { discovery_retention_days: 6 } }, 'settings.discovery_retention_days'],
    [{ settings: { delivery_retention_days: 366 } }, 'settings.delivery_retention_days'],
    [{ settings: { time_zone: 'Mars/Olympus' } }, 'settings.time_zone'],
  ])('%j is 422', async (input, path) => {
    const admin = await world.member('admin@example.com', 'tenant_admin');
    const { error, detail } = await run(contextOf(admin, 'tenant_admin'), UPDATE, { id: world.first.tenant_id, input });
    expect(error).toBe('VALIDATION_ERROR');
    expect(detail).toMatchObject([{ path }]);
  });
});
