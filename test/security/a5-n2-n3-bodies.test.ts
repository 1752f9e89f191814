import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';
import { withinTimes } from '../support/within.js';
import { expectError } from '../contract/expect-error.js';
import { ABSENT, endpoints, pathOf, takesBody } from '../contract/registry-facts.js';

let world: World;
let tenant: TestTenant;
let client: Client;
let staff: Client;
let id: string;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('org_admin');
  staff = await tenant.as('platform_admin');
  await client.import(ocsf([{ rule: 'a', resource: bucket('a') }]), { scan_run_id: 'run' });
  id = (await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings')).body.items[0]!.finding_id;
});
afterAll(() => world.close());

const status = (body: unknown, headers: Record<string, string> = {}) =>
  client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body, headers });
const raw = (text: string, type = 'application/json') =>
  client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', raw: text, headers: { 'content-type': type } });

describe('A5, N2, N3: a body', () => {
  const bodied = endpoints.filter(({ field, segment }) => takesBody(field) && (segment === null || segment === 'check'));
  const paths = () =>
    bodied.map((endpoint) => ({
      sender: endpoint.field.requires.startsWith('role:') ? staff : client,
      method: endpoint.route.method,
      path: pathOf(endpoint, { ...ABSENT, 'id:check': id, tenant_id: tenant.tenant._id }),
    }));
  const hostile = {
    A5: [
      { tenant_id: 'other' },
      { role: 'viewer', level: 'L1' },
      { finding_id: 'x' },
      { created_by: 'me' },
      { credential_ref: 'x' },
      { api_key: 'x' },
    ],
    N2: [
      { status: { $gt: '' } },
      { $where: '1' },
      { $expr: {} },
      { 'a.b': 1 },
      { status: ['OPEN'] },
      { name: ['x'] },
      { settings: { $set: {} } },
    ],
    N3: [
      JSON.parse('{"__proto__":{"polluted":1}}') as object,
      { constructor: { prototype: { polluted: 1 } } },
      JSON.parse('{"settings":{"__proto__":{"polluted":1}}}') as object,
      JSON.parse('{"\\u005f_proto__":1}') as object,
    ],
  };

  it.each(Object.entries(hostile))('of the attack case %s is a 422 on every endpoint', async (_case, bodies) => {
    for (const { sender, method, path } of paths()) {
      for (const body of bodies)
        expectError(await sender.call(path, { method, body: { status: 'IN_PROGRESS', ...body } }), 'VALIDATION_ERROR', path.split('/')[3]!);
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((await client.call('/api/v1/check/findings')).text).not.toContain('polluted');
    expect((await client.call<{ name: string }>(`/api/v1/tenants/${tenant.tenant._id}`)).body.name).toBe('Test');
    expect((await client.call<{ items: { status: string }[] }>('/api/v1/check/findings')).body.items[0]!.status).toBe('OPEN');
  });

  it('of great depth, many keys or great length is refused at once', async () => {
    const deep = '{"note":'.repeat(5_000) + '1' + '}'.repeat(5_000);
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, 1])));
    for (const text of [deep, wide, JSON.stringify({ status: 'OPEN', note: 'x'.repeat(10_000_000) })]) {
      expect([413, 422]).toContain(
        (
          await withinTimes(
            200,
            () => client.call('/api/v1/users/me'),
            () => raw(text),
          )
        ).status,
      );
    }
    expectError(await status({ status: 'IN_PROGRESS', note: 'x'.repeat(4_001) }), 'VALIDATION_ERROR', 'views');
  });

  it('that is compressed is a 415', async () => {
    expectError(
      await client.call(`/api/v1/views/finding/check/${id}/status`, {
        method: 'PATCH',
        raw: '{}',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      }),
      'UNSUPPORTED_MEDIA_TYPE',
      'views',
    );
  });
});
