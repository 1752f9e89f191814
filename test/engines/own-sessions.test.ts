import { sessions } from '../../accounts/session-record.js';
import { Client, openWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

interface Session {
  id: string;
  user_agent: string;
  current: boolean;
}
const PATH = '/api/v1/users/me/sessions';

/** Another place where the same person is signed in. */
async function elsewhere(client: Client, tenantId: string, userAgent: string): Promise<Client> {
  const { parts } = world.auth;
  const user_id = client.user!._id;
  const session = await parts.sessions.create({
    user_id,
    tenant_id: tenantId,
    membership_id: `${tenantId}|${user_id}`,
    method: 'password',
    second_factor: true,
    ip_address: '192.0.2.7',
    user_agent: userAgent,
  });
  const token = await parts.tokens.issue({ session_id: session._id, user_id, tenant_id: tenantId });
  return new Client(world.url, `access_token=${token}`, client.user);
}

describe('own sessions', () => {
  it('are listed with device, address and last use, without the id that the cookie names', async () => {
    const { tenant, as } = await world.tenant();
    const here = await as('viewer');
    await elsewhere(here, tenant._id, 'Telephone');
    const { body, text } = await here.call<Session[]>(PATH);
    expect(body.map(({ user_agent, current }) => [user_agent, current]).sort()).toEqual([
      ['Telephone', false],
      ['jest', true],
    ]);
    expect(body.find(({ user_agent }) => user_agent === 'Telephone')).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      tenant_id: tenant._id,
      method: 'password',
      user_agent: 'Telephone',
      ip_address: '192.0.2.7',
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      ends_at: expect.any(String),
      current: false,
    });
    for (const { _id } of await world.database.system(sessions).find({ user_id: here.user!._id })) expect(text).not.toContain(_id);
  });

  it('can be ended one by one, at once', async () => {
    const { tenant, as } = await world.tenant();
    const here = await as('analyst');
    const there = await elsewhere(here, tenant._id, 'Telephone');
    const { body } = await here.call<Session[]>(PATH);
    const telephone = body.find(({ current }) => !current)!;
    expect((await there.call(PATH)).status).toBe(200);
    expect((await here.call(`${PATH}/${telephone.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await there.call(PATH)).status).toBe(401);
    expect((await here.call<Session[]>(PATH)).body).toMatchObject([{ current: true }]);
    expect((await here.call(`${PATH}/${telephone.id}`, { method: 'DELETE' })).status).toBe(404);
    const log = await (await as('tenant_admin')).call<{ items: Record<string, unknown>[] }>('/api/v1/audit-logs?action=user.logout');
    expect(log.body.items).toMatchObject([{ actor_email: here.user!.email, detail: { ended_session: telephone.id } }]);
  });

  it("are one's own: another person's answers as an absent one, and stays", async () => {
    const { as } = await world.tenant();
    const [one, other] = [await as('viewer'), await as('tenant_admin')];
    const [theirs] = (await one.call<Session[]>(PATH)).body;
    const [refused, absent] = await Promise.all(
      [theirs!.id, '0'.repeat(32)].map((id) => other.call(`${PATH}/${id}`, { method: 'DELETE' })),
    );
    expect(refused!.status).toBe(404);
    expect(refused!.text).toBe(absent!.text);
    expect((await one.call(PATH)).status).toBe(200);
  });

  it('that have ended are not listed', async () => {
    const { tenant, as } = await world.tenant();
    const here = await as('viewer');
    await elsewhere(here, tenant._id, 'Telephone');
    await world.database
      .system(sessions)
      .update({ user_agent: 'Telephone', user_id: here.user!._id }, { $set: { expires_at: new Date(0) } });
    expect((await here.call<Session[]>(PATH)).body).toMatchObject([{ user_agent: 'jest' }]);
  });
});
