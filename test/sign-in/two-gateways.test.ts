import { accept, cookieOf, GOOD_PASSWORD, invited } from '../support/invitations.js';
import { openServers, type ServersWorld, type TestTenant } from '../support/world.js';

let world: ServersWorld;
let tenant: TestTenant;
beforeAll(async () => {
  world = await openServers('pair');
  tenant = await world.tenant();
});
afterAll(() => world.close());

const ME = '/api/v1/users/me';

describe('what one gateway does to a user', () => {
  it('J5: a changed role is in force at the other one with the next call, while the client polls', async () => {
    const admin = await tenant.as('tenant_admin');
    const analyst = await tenant.as('analyst');
    const elsewhere = world.at(analyst, 1);
    const roles: string[] = [];
    for (let call = 0; call < 5; call++) roles.push(String((await elsewhere.call(ME)).body['role']));
    const path = `/api/v1/users/${analyst.user!._id}/role`;
    expect((await admin.call(path, { method: 'PATCH', body: { role: 'viewer' } })).status).toBe(200);
    expect((await elsewhere.call(ME)).body['role']).toBe('viewer');
    expect(new Set(roles)).toEqual(new Set(['analyst']));
    expect((await elsewhere.call('/api/v1/secops/findings')).status).toBe(403);
    expect((await world.at(admin, 1).call(path, { method: 'PATCH', body: { role: 'analyst' } })).status).toBe(200);
    expect((await analyst.call('/api/v1/secops/findings')).status).toBe(200);
  });

  it('J4: a removed user is out at the other one at once, and what the user did stays attributed', async () => {
    const admin = await tenant.as('tenant_admin');
    const viewer = await tenant.as('viewer');
    expect((await world.at(viewer, 1).call(ME)).status).toBe(200);
    expect((await admin.call(`/api/v1/users/${viewer.user!._id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await world.at(viewer, 1).call(ME)).status).toBe(401);
    expect((await viewer.call(ME)).status).toBe(401);
    const log = await world.at(admin, 1).call<{ items: object[] }>('/api/v1/audit-logs?action=user.remove');
    expect(log.body.items).toMatchObject([{ actor_email: admin.user!.email, target_email: viewer.user!.email, role: 'viewer' }]);
  });

  it('a link of one is accepted at the other, and its session holds at both', async () => {
    const { token } = await invited(await tenant.as('tenant_admin'), 'ada@invited.example');
    const elsewhere = world.at(world.anonymous, 1);
    const answers = await Promise.all(
      [world.anonymous, elsewhere, world.anonymous, elsewhere].map((client) => accept(client, { token, password: GOOD_PASSWORD })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    const ada = world.anonymous.withCookieOf(answers.find((answer) => cookieOf(answer) !== null)!);
    expect([(await ada.call(ME)).status, (await world.at(ada, 1).call(ME)).status]).toEqual([200, 200]);
  });
});
