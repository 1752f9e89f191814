import { sessions } from '../../accounts/session-record.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { ABSENT, bodyOf, endpoints, pathOf, rootFields, type Endpoint } from './registry-facts.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const takesPerson = ({ requires }: { requires: string }) => requires.split('+').includes('person');
const guarded = endpoints.filter(({ field }) => field.kind === 'mutation' && takesPerson(field) && !field.requires.includes('role:'));
/** Decision 62: what API keys may not do, by the areas that it names. */
const AREAS = /^\/(api-keys|invites|users|webhooks|integrations|settings\/(sso|mfa-policy|siem|domains))/;
const CHANGES_NOTHING = ['redeliver_webhook'];

/** An administrator who signed in `minutes` ago. */
async function signedInBefore(minutes: number): Promise<Client> {
  const client = await (await world.tenant()).as('org_admin');
  const authenticated_at = new Date(Date.now() - minutes * 60_000);
  await world.database.system(sessions).update({ user_id: client.user!._id }, { $set: { authenticated_at } });
  return client;
}
const send = (client: Client, endpoint: Endpoint) =>
  client.call(pathOf(endpoint, ABSENT), { method: endpoint.route.method, body: bodyOf(endpoint.field) });

describe('what takes a recent proof of who the caller is', () => {
  it('is every change of sign-in, people, keys, domains, webhooks, SIEM and integrations', () => {
    const changes = endpoints.filter(({ field, route }) => field.kind === 'mutation' && AREAS.test(route.path));
    expect(changes.length).toBeGreaterThan(15);
    const open = changes.filter(({ field }) => !takesPerson(field)).map(({ field }) => field.name);
    expect(open.sort()).toEqual(CHANGES_NOTHING);
    // the graph reaches no such change that REST does not
    expect(rootFields.filter((field) => field.kind === 'mutation' && takesPerson(field) && field.graphOnly)).toEqual([]);
  });

  it.each(guarded.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s: 401 that says how, after 15 minutes',
    async (_name, endpoint) => {
      const answer = await send(await signedInBefore(16), endpoint);
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({
        error_code: 'UNAUTHENTICATED',
        detail: { reauthenticate: { method: 'password', second_factor: false, url: '/api/auth/reauthenticate' } },
      });
      expect((await send(await signedInBefore(14), endpoint)).status).not.toBe(401);
    },
  );

  it('is no reading, whatever it reads, and no change beside', async () => {
    const client = await signedInBefore(16);
    for (const path of ['users/me', 'users/me/sessions', 'webhooks', 'settings/sso', 'api-keys', 'audit-logs'])
      expect([path, (await client.call(`/api/v1/${path}`)).status]).toEqual([path, 200]);
    const rename = { method: 'PATCH', body: { name: 'Renamed' } };
    const { tenant_id } = (await client.call<{ tenant_id: string }>('/api/v1/users/me')).body;
    expect((await client.call(`/api/v1/tenants/${tenant_id}`, rename)).status).toBe(200);
    // how long sessions live is a setting of sign-in
    const idle = { method: 'PATCH', body: { settings: { session_idle_minutes: 90 } } };
    expect((await client.call(`/api/v1/tenants/${tenant_id}`, idle)).status).toBe(401);
  });

  it('is asked of nobody who may not do it anyway', async () => {
    const tenant = await world.tenant();
    const viewer = await tenant.as('viewer');
    await world.database.system(sessions).update({ user_id: viewer.user!._id }, { $set: { authenticated_at: new Date(0) } });
    expect((await viewer.call('/api/v1/webhooks', { body: { url: 'https://a.example', events: ['*'] } })).status).toBe(403);
  });

  it('holds over the graph as over REST', async () => {
    const client = await signedInBefore(16);
    const answer = await client.graphql('mutation { delete_webhook(id: "none") }');
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', detail: { reauthenticate: { method: 'password' } } } }]);
  });
});
