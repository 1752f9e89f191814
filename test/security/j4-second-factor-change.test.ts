import { systemClock } from '../../kit/base/clock.js';
import { openWorld, Client, type World } from '../support/world.js';
import { totpCode } from '../support/totp.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('J4', () => {
  it('ends every other session of a user at once when the second factor changes, and only theirs', async () => {
    const tenant = await world.tenant();
    const [own, colleague] = [await tenant.as('viewer'), await tenant.as('analyst')];
    const others = await Promise.all([1, 2].map(() => sessionOf(own, tenant.tenant._id)));
    const status = async (client: Client) => (await client.call('/api/v1/users/me')).status;
    const set = (client: Client, body: object) => client.call<{ secret: string }>('/api/v1/users/me/mfa', { body });

    const { secret } = (await set(own, { method: 'totp' })).body;
    expect(await Promise.all(others.map(status))).toEqual([200, 200]);
    expect((await set(own, { method: 'totp', code: totpCode(secret, systemClock.now(), -1) })).status).toBe(200);
    expect(await Promise.all(others.map(status))).toEqual([401, 401]);
    expect(await Promise.all([own, colleague].map(status))).toEqual([200, 200]);
    expect((await others[0]!.call('/api/auth/refresh', { method: 'POST' })).status).toBe(401);

    const late = await sessionOf(own, tenant.tenant._id);
    const next = (await set(own, { method: 'totp' })).body.secret;
    expect(await status(late)).toBe(200);
    expect((await set(own, { method: 'totp', code: totpCode(next), current_code: totpCode(secret) })).status).toBe(200);
    expect(await status(late)).toBe(401);
    expect(await status(own)).toBe(200);
  });
});

async function sessionOf(client: Client, tenant_id: string): Promise<Client> {
  const { sessions, tokens } = world.auth.parts;
  const user_id = client.user!._id;
  const row = await sessions.create({
    user_id,
    tenant_id,
    membership_id: `${tenant_id}|${user_id}`,
    method: 'password',
    second_factor: true,
    ip_address: '127.0.0.1',
    user_agent: 'jest',
  });
  return new Client(world.url, `access_token=${await tokens.issue({ session_id: row._id, user_id, tenant_id })}`, client.user);
}
