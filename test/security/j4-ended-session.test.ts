import { hashPassword } from '../../sign-in/password.js';
import { memberships, users } from '../../accounts/records.js';
import { sessions } from '../../accounts/session-record.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';
import { tokenOf } from './forging.js';
import { ENDED, expectAccepted, expectRefused } from './session-calls.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Everything that ends a session; each is its own way to the same end. */
const ENDINGS: readonly [name: string, end: (tenant: TestTenant, client: Client) => Promise<number>][] = [
  ['logout', async (_tenant, client) => (await client.call('/api/auth/logout', { method: 'POST' })).status],
  [
    'removal of the user',
    async (tenant, { user }) => (await (await tenant.as('tenant_admin')).call(`/api/v1/users/${user!._id}`, { method: 'DELETE' })).status,
  ],
  [
    'the end of the session from the list of own sessions',
    async (_tenant, client) => {
      const { body } = await client.call<{ id: string; current: boolean }[]>('/api/v1/users/me/sessions');
      const { id } = body.find(({ current }) => current)!;
      return (await client.call(`/api/v1/users/me/sessions/${id}`, { method: 'DELETE' })).status;
    },
  ],
  [
    'a refresh, which puts another in its place',
    async (_tenant, client) => ((await client.call('/api/auth/refresh', { method: 'POST' })).status === 200 ? 204 : 0),
  ],
  [
    'a change of the password',
    async (_tenant, client) => {
      const [current_password, password] = ['the first phrase of a test', 'the second phrase of a test'];
      const password_hash = await hashPassword(current_password);
      await world.database.system(users).update({ _id: client.user!._id }, { $set: { password_hash } });
      const { status } = await client.call('/api/auth/password/change', { body: { current_password, password } });
      return status === 200 ? 204 : status;
    },
  ],
  [
    'the end of the membership in the store',
    async (tenant, { user }) => {
      await world.database.tenant(tenant.tenant._id).collection(memberships).remove({ user_id: user!._id });
      return 204;
    },
  ],
  [
    'the disabling of the user',
    async (_tenant, { user }) => {
      await world.database.system(users).update({ _id: user!._id }, { $set: { state: 'disabled' } });
      return 204;
    },
  ],
  [
    'the removal of the session row',
    async (_tenant, { user }) => {
      await world.database.system(sessions).remove({ user_id: user!._id });
      return 204;
    },
  ],
];

describe('J4', () => {
  it.each(ENDINGS)('the old cookie is worth nothing at once after %s', async (_name, end) => {
    const tenant = await world.tenant();
    const client = await tenant.as('viewer');
    const bystander = await tenant.as('analyst');
    await expectAccepted(world, tokenOf(client.cookie));
    expect(await end(tenant, client)).toBe(204);
    await expectRefused(world, tokenOf(client.cookie), ENDED);
    for (const path of ['refresh', 'logout', 'switch-tenant'])
      expect(
        (
          await client.call(`/api/auth/${path}`, {
            method: 'POST',
            ...(path === 'switch-tenant' && { body: { tenant_id: tenant.tenant._id } }),
          })
        ).status,
      ).toBe(401);
    await expectAccepted(world, tokenOf(bystander.cookie));
  });
});
