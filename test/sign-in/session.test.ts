import { auditLog } from '../../kit/audit/audit.js';
import { memberships, tenants, users, type TenantRow } from '../../accounts/records.js';
import { addMembership, createOrganization, createTenant } from '../../accounts/seed.js';
import { sessions } from '../../accounts/session-record.js';
import { createWorld, tokenOf, type World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

const MINUTE = 60_000;
const status = async (token: string) => (await world.whoami(token)).statusCode;
const signedIn = async (email = 'ada@example.com', role: 'analyst' | 'tenant_admin' = 'analyst') => {
  const user = await world.member(email, role);
  return { user, token: tokenOf(await world.signIn(email)) };
};
const actions = async (tenantId: string) =>
  (
    await world.database
      .tenant(tenantId)
      .collection(auditLog)
      .find({}, { sort: { seq: 1 } })
  ).map(({ action }) => action);

describe('J4: a session that ended is worth nothing', () => {
  test('after logout, which is audited and clears the cookie', async () => {
    const { token } = await signedIn();
    const response = await world.post('/api/auth/logout', token);
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe('');
    expect(response.headers['set-cookie']).toBe('access_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
    expect(await status(token)).toBe(401);
    expect((await world.post('/api/auth/refresh', token)).statusCode).toBe(401);
    expect((await world.post('/api/auth/logout', token)).statusCode).toBe(401);
    expect(await actions(world.first.tenant_id)).toEqual(['tenant.create', 'user.login', 'user.logout']);
  });

  test('after the membership is gone', async () => {
    const { user, token } = await signedIn();
    expect(await status(token)).toBe(200);
    await world.database.tenant(world.first.tenant_id).collection(memberships).remove({ user_id: user._id });
    expect(await status(token)).toBe(401);
    expect((await world.post('/api/auth/refresh', token)).statusCode).toBe(401);
  });

  test('after the user is disabled', async () => {
    const { user, token } = await signedIn();
    await world.database.system(users).update({ _id: user._id }, { $set: { state: 'disabled' } });
    expect(await status(token)).toBe(401);
  });

  test('after the role has come to need a second factor that the session has not shown', async () => {
    const { user, token } = await signedIn();
    await world.database
      .tenant(world.first.tenant_id)
      .collection(memberships)
      .update({ user_id: user._id }, { $set: { role: 'org_admin' } });
    expect(await status(token)).toBe(401);
  });
});

test('J5: a role change holds from the next call', async () => {
  const { user, token } = await signedIn();
  expect((await world.whoami(token)).json()).toMatchObject({ role: 'analyst' });
  await world.database
    .tenant(world.first.tenant_id)
    .collection(memberships)
    .update({ user_id: user._id }, { $set: { role: 'viewer' } });
  const now = (await world.whoami(token)).json();
  expect(now.role).toBe('viewer');
  expect(now.permissions).not.toContain('scans:create');
});

describe('the life of a session', () => {
  const setIdle = (minutes: number | null) =>
    world.database
      .tenant(world.first.tenant_id)
      .collection(tenants)
      .update({ _id: world.first.tenant_id }, { $set: { 'settings.session_idle_minutes': minutes } });

  test('the first cookie works after 20 idle minutes and after 59, and nothing is made anew on the way', async () => {
    const { token } = await signedIn();
    for (const minutes of [20, 59, 59]) {
      world.clock.advance(minutes * MINUTE);
      const answer = await world.whoami(token);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test('it ends after 60 idle minutes, also for a refresh, and who shows its cookie is told so', async () => {
    const { token } = await signedIn();
    world.clock.advance(60 * MINUTE);
    const answer = await world.whoami(token);
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ message: 'Your session has ended: sign in again' });
    expect((await world.post('/api/auth/refresh', token)).statusCode).toBe(401);
    expect((await world.app.inject('/whoami')).json()).toMatchObject({ message: 'Sign in first' });
  });

  test("a tenant's own idle time holds: a longer one from the next use, a shorter one at once", async () => {
    await setIdle(120);
    const { token } = await signedIn();
    world.clock.advance(119 * MINUTE);
    expect(await status(token)).toBe(200);
    world.clock.advance(10 * MINUTE);
    await setIdle(10);
    expect(await status(token)).toBe(401);
    await setIdle(720);
    const next = tokenOf(await world.signIn('ada@example.com'));
    world.clock.advance(12 * 60 * MINUTE - 1);
    expect(await status(next)).toBe(200);
    world.clock.advance(1);
    expect(await status(next)).toBe(401);
  });

  test('its last use is written every tenth of the idle time, and never moves back', async () => {
    const { token } = await signedIn();
    const seen = async () => {
      const [row] = await world.database.system(sessions).find({});
      return [row!.last_seen_at, row!.expires_at].map((moment) => (moment.getTime() - began) / MINUTE);
    };
    const began = world.clock.now().getTime();
    const useAt = async (minute: number) => {
      world.clock.set(new Date(began + minute * MINUTE).toISOString());
      expect(await status(token)).toBe(200);
      return seen();
    };
    expect(await useAt(5.9)).toEqual([0, 60]);
    expect(await useAt(6)).toEqual([6, 66]);
    expect(await useAt(11.9)).toEqual([6, 66]);
    expect(await useAt(12)).toEqual([12, 72]);
    await setIdle(10);
    expect(await useAt(12.9)).toEqual([12, 72]);
    // an idle time that was shortened counts from the last use, and takes nothing back that another gateway wrote
    expect(await useAt(13)).toEqual([13, 72]);
    const [session] = await world.database.system(sessions).find({});
    const late = { session: { ...session!, last_seen_at: new Date(began) }, tenant: { settings: {} } as TenantRow };
    world.clock.set(new Date(began + 7 * MINUTE).toISOString());
    await world.auth.parts.sessions.touch(late);
    expect(await seen()).toEqual([13, 72]);
    await world.auth.parts.sessions.end(session!._id);
    await world.auth.parts.sessions.touch(late);
    expect(await world.database.system(sessions).count({})).toBe(0);
  });

  test('it ends after 12 hours, however much it is used and refreshed', async () => {
    const { token: first } = await signedIn();
    let token = first;
    for (let minute = 0; minute < 12 * 60 - 30; minute += 30) {
      world.clock.advance(30 * MINUTE);
      token = tokenOf(await world.post('/api/auth/refresh', token));
    }
    expect(await status(token)).toBe(200);
    world.clock.advance(30 * MINUTE);
    expect(await status(token)).toBe(401);
    expect((await world.post('/api/auth/refresh', token)).statusCode).toBe(401);
  });

  test('refresh puts a new session in the place of the old one, once', async () => {
    const { token } = await signedIn();
    world.clock.advance(20 * MINUTE);
    const answers = await Promise.all([1, 2, 3, 4].map(() => world.post('/api/auth/refresh', token)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401, 401]);
    const fresh = answers.find(({ statusCode }) => statusCode === 200)!;
    expect(fresh.json()).toMatchObject({ status: 'ok', role: 'analyst' });
    expect(await status(token)).toBe(401);
    expect(await status(tokenOf(fresh))).toBe(200);
    expect(await world.database.system(sessions).count({})).toBe(1);
  });

  test('a session of a release that kept no time of proof works on', async () => {
    const { token } = await signedIn();
    await world.database.system(sessions).update({}, { $set: { authenticated_at: null } });
    expect(await status(token)).toBe(200);
    expect((await world.post('/api/auth/refresh', token)).statusCode).toBe(200);
  });
});

describe('switching the tenant', () => {
  test('a member of both goes over; the old cookie ends; both tenants are told', async () => {
    const { user, token } = await signedIn();
    await addMembership(world.seed, { tenant_id: world.second.tenant_id, user, role: 'viewer' });
    const response = await world.post('/api/auth/switch-tenant', token, { tenant_id: world.second.tenant_id });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ tenant: { tenant_id: world.second.tenant_id }, role: 'viewer' });
    expect(response.cookies).toHaveLength(1);
    expect(await status(token)).toBe(401);
    expect((await world.whoami(tokenOf(response))).json()).toMatchObject({ tenant_id: world.second.tenant_id, role: 'viewer' });
    expect(await actions(world.first.tenant_id)).toEqual(['tenant.create', 'user.login', 'user.switch_tenant']);
    expect(await actions(world.second.tenant_id)).toEqual(['tenant.create', 'user.switch_tenant']);
  });

  test("a foreign tenant's id answers byte for byte as one that never was", async () => {
    const { token } = await signedIn('ada@example.com', 'tenant_admin');
    const foreign = await world.post('/api/auth/switch-tenant', token, { tenant_id: world.second.tenant_id });
    const absent = await world.post('/api/auth/switch-tenant', token, { tenant_id: 'ten_absent' });
    expect(foreign.statusCode).toBe(404);
    expect(foreign.body).toBe(absent.body);
    expect(await status(token)).toBe(200);
    expect((await world.post('/api/auth/switch-tenant', token, { tenant_id: { $ne: '' } })).statusCode).toBe(422);
  });

  test('an org_admin reaches the tenants of the organization, and no other', async () => {
    const admin = await world.member('root@example.com', 'org_admin');
    const elsewhere = await createOrganization(world.seed, { name: 'Elsewhere' });
    const foreign = await createTenant(world.seed, { organization_id: elsewhere._id, name: 'Foreign' });
    const token = await world.sessionOf(admin);
    expect((await world.post('/api/auth/switch-tenant', token, { tenant_id: foreign.tenant_id })).statusCode).toBe(404);
    const response = await world.post('/api/auth/switch-tenant', token, { tenant_id: world.second.tenant_id });
    expect(response.json()).toMatchObject({ tenant: { tenant_id: world.second.tenant_id }, role: 'org_admin' });
    const there = tokenOf(response);
    expect((await world.whoami(there)).json()).toMatchObject({ tenant_id: world.second.tenant_id, role: 'org_admin' });
    await world.database.system(tenants).update({ _id: world.second.tenant_id }, { $set: { organization_id: elsewhere._id } });
    expect(await status(there)).toBe(401);
  });

  test('a role there that needs a second factor is not had without one', async () => {
    const { user, token } = await signedIn();
    await addMembership(world.seed, { tenant_id: world.second.tenant_id, user, role: 'org_admin' });
    const response = await world.post('/api/auth/switch-tenant', token, { tenant_id: world.second.tenant_id });
    expect(response.statusCode).toBe(403);
    expect(await status(token)).toBe(200);
  });
});
