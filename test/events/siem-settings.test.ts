import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

const PATH = '/api/v1/audit-logs/siem-export';
const put = (body: Record<string, unknown>) => admin.call<{ detail: { path: string }[] }>(PATH, { method: 'PUT', body });
const webhook = (url: string, more: Record<string, unknown> = {}) => ({ kind: 'webhook', enabled: false, webhook: { url, ...more } });
const storage = (more: Record<string, unknown>) => ({
  kind: 'object_storage',
  enabled: false,
  object_storage: { region: 'eu-central-1', bucket: 'audit', access_key_id: 'a-key-id', secret_access_key: 'a secret key', ...more },
});

describe('the settings of a SIEM export', () => {
  it('are empty before they are set', async () => {
    const { status, body } = await admin.call(PATH);
    expect([status, body]).toMatchObject([200, { kind: null, enabled: false, webhook: null, object_storage: null, position: 0 }]);
  });

  it.each([
    ['a private address', webhook('https://10.0.0.1/hook'), 'webhook.url'],
    ['a loopback address', webhook('https://127.0.0.1/hook'), 'webhook.url'],
    ['the address of cloud metadata', webhook('https://169.254.169.254/latest'), 'webhook.url'],
    ['a mapped loopback address', webhook('https://[::ffff:127.0.0.1]/hook'), 'webhook.url'],
    ['plain http', webhook('http://siem.example/hook'), 'webhook.url'],
    ['another scheme', webhook('file:///etc/passwd'), 'webhook.url'],
    ['no address', webhook('siem'), 'webhook.url'],
    ['credentials in the address', webhook('https://user:word@siem.example/'), 'webhook.url'],
    ['a short signing secret', webhook('https://siem.example/', { secret: 'whsec_c2hvcnQ=' }), 'webhook.secret'],
    ['no target', { kind: 'webhook' }, 'webhook'],
    ['the target of another kind', { ...webhook('https://siem.example/'), ...storage({}), kind: 'webhook' }, 'object_storage'],
    ['a private endpoint', storage({ endpoint: 'https://192.168.0.1' }), 'object_storage.endpoint'],
    ['a region that is a host', storage({ region: 'x.evil.example/' }), 'object_storage.region'],
    ['a bucket that is a path', storage({ bucket: '../other' }), 'object_storage.bucket'],
    ['a prefix with an empty segment', storage({ prefix: 'a//b' }), 'object_storage.prefix'],
    ['a prefix with a way up', storage({ prefix: 'a/../../b' }), 'object_storage.prefix'],
    ['a local name', webhook('https://siem.internal./'), 'webhook.url'],
    ['no secret', storage({ secret_access_key: undefined }), 'object_storage.secret_access_key'],
  ])('are refused with %s', async (_case, body, path) => {
    const before = (await admin.call(PATH)).text;
    const answer = await put(body);
    expect([answer.status, answer.body.detail.map((one) => one.path)]).toEqual([422, [path]]);
    expect((await admin.call(PATH)).text).toBe(before);
  });

  it.each([
    ['a webhook', webhook('https://siem.example/hook?source=palisade')],
    ['a bucket of AWS', storage({})],
    ['another S3-compatible service', storage({ endpoint: 'https://s3.example', prefix: 'logs/palisade/', path_style: true })],
  ])('are taken with %s, and the change is in the audit log without path, query or secret', async (_case, body) => {
    const { status, text } = await put(body);
    expect([status, text]).toEqual([200, expect.not.stringContaining('a secret key')]);
    const { items } = (await admin.call<{ items: Record<string, unknown>[] }>('/api/v1/audit-logs?action=siem.update')).body;
    expect(items[0]).toMatchObject({
      actor_email: admin.user!.email,
      role: 'tenant_admin',
      result: 'success',
      detail: { kind: body.kind },
    });
    expect(JSON.stringify(items)).not.toMatch(/source=palisade|a secret key|a-key-id/);
  });

  it('are of the own tenant alone', async () => {
    await put(webhook('https://siem.example/own'));
    const other = await world.tenant();
    expect((await (await other.as('tenant_admin')).call(PATH)).body).toMatchObject({ kind: null, webhook: null });
  });
});
