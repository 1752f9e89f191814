import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';
import { expectError, expectLimits } from './expect-error.js';
import { ABSENT, endpoints, findingEngines, pathOf } from './registry-facts.js';

let world: World;
let tenant: TestTenant;
let client: Client;
let id: string;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  client = await tenant.as('org_admin');
  await client.import(ocsf([{ rule: 'a', resource: bucket('a') }]), { scan_run_id: 'run' });
  id = (await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings')).body.items[0]!.finding_id;
});
afterAll(() => world.close());

const status = (body: unknown, headers: Record<string, string> = {}) =>
  client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body, headers });
const raw = (text: string, type = 'application/json') =>
  client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', raw: text, headers: { 'content-type': type } });

describe('the envelope', () => {
  it('is sent for every status that a caller can bring about', async () => {
    expectError(await client.call('/api/v1/check/findings?page=0'), 'BAD_REQUEST', 'check');
    expectError(await world.anonymous.call('/api/v1/check/findings'), 'UNAUTHENTICATED', 'check');
    expectError(await (await tenant.as('viewer')).call('/api/v1/secops/findings'), 'FORBIDDEN', 'secops');
    expectError(await client.call('/api/v1/scan-runs/none'), 'NOT_FOUND', 'scan-runs');
    expectError(await client.call('/api/v1/check/findings', { method: 'DELETE' }), 'METHOD_NOT_ALLOWED', 'check');
    expectError(await client.call('/api/v1/scan-runs/run/cancel', { method: 'POST' }), 'CONFLICT', 'scan-runs');
    expectError(await status({ status: 'IN_PROGRESS' }, { 'if-match': '"99"' }), 'PRECONDITION_FAILED', 'views');
    expectError(await raw(JSON.stringify({ note: 'x'.repeat(2_000_000) })), 'PAYLOAD_TOO_LARGE', 'views');
    expectError(await raw('status=OPEN', 'text/plain'), 'UNSUPPORTED_MEDIA_TYPE', 'views');
    expectError(await status({ status: 'OPEN' }), 'VALIDATION_ERROR', 'views');
  });

  it('names what is wrong in a list of paths and messages for 422, and never the value', async () => {
    const { detail } = expectError(await status({ status: 'hushhush', note: 7, tenant_id: 'hushhush' }), 'VALIDATION_ERROR', 'views');
    expect(detail).toEqual(
      expect.arrayContaining([
        { path: 'status', message: expect.stringContaining('OPEN') as string },
        { path: 'note', message: 'must be a string' },
        { path: 'tenant_id', message: 'is not a known field' },
      ]),
    );
    expect(JSON.stringify(detail)).not.toContain('hushhush');
  });

  it('answers unknown paths with 401 first and 404 then', async () => {
    for (const [path, page] of [
      ['/api/v1', 'gateway'],
      ['/api/v1/', 'gateway'],
      ['/api/v1/nothing', 'nothing'],
      ['/api/v1/check/nothing/at/all', 'check'],
      ['/api/v1/check', 'check'],
      ['/api/v1/views/finding/check', 'views'],
    ] as const) {
      expectError(await world.anonymous.call(path), 'UNAUTHENTICATED', page);
      expectError(await client.call(path), 'NOT_FOUND', page);
    }
    expectError(await world.anonymous.call('/nothing'), 'NOT_FOUND', 'gateway');
  });

  it('answers unknown engines with 404', async () => {
    for (const engine of ['nope', 'CHECK', '__proto__', 'constructor', 'di', '%2e%2e']) {
      expectError(await client.call(`/api/v1/views/finding/${engine}/${id}`), 'NOT_FOUND', 'views');
      expectError(await client.call(`/api/v1/views/finding/${engine}/${id}/timeline`), 'NOT_FOUND', 'views');
      expect((await client.call(`/api/v1/${engine}/findings`)).status).toBe(404);
    }
  });

  it.each(endpoints.filter(({ segment }) => segment === null || segment === 'check').map((endpoint) => [endpoint.name, endpoint] as const))(
    'is a 405 with Allow for the methods that %s does not have',
    async (_name, endpoint) => {
      const path = pathOf(endpoint, ABSENT);
      // a pattern may mean the path too: DELETE /users/me is DELETE /users/{user_id}
      const covers = (pattern: string) => new RegExp(`^${pattern.replace(/\{[a-z_]+\}/g, '[^/]+')}$`).test(endpoint.route.path);
      const siblings = endpoints.filter(({ route }) => covers(route.path)).map(({ route }) => route.method);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !siblings.includes(name as 'GET'))) {
        const answer = await client.call(path, { method });
        expectError(answer, 'METHOD_NOT_ALLOWED', path.split('/')[3]!);
        const allow = answer.headers.get('allow')!.split(', ');
        expect(allow).toEqual(expect.arrayContaining([...new Set(siblings)]));
        expect(allow).not.toContain(method);
        expectError(await world.anonymous.call(path, { method }), 'UNAUTHENTICATED', path.split('/')[3]!);
      }
    },
  );
});

describe('a request', () => {
  it.each(['{', '{"status":"OPEN"', 'OPEN', "{'status':'OPEN'}", '{"status":"OPEN",}', '\u0000'])(
    'with the body %p is a 400',
    async (text) => {
      expectError(await raw(text), 'BAD_REQUEST', 'views');
    },
  );

  it.each(['null', '[]', '"OPEN"', '7', '[{"status":"OPEN"}]', '{}', ''])('with the body %p is a 422', async (text) => {
    expectError(await raw(text), 'VALIDATION_ERROR', 'views');
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-patch+json',
    'application/jsonx',
  ])('with the content type %s is a 415', async (type) => {
    expectError(await raw('{"status":"IN_PROGRESS"}', type), 'UNSUPPORTED_MEDIA_TYPE', 'views');
  });

  it('with a bad percent-encoding is a 400', async () => {
    for (const path of ['/api/v1/views/finding/check/%E0%A4%A', '/api/v1/rules/%ZZ', '/api/v1/inventory/asset/%', '/api/v1/rules/%FF'])
      expectError(await client.call(path), 'BAD_REQUEST', path.split('/')[3]!);
    expectError(await client.call('/api/v1/check/findings?q=%E0%A4%A'), 'BAD_REQUEST', 'check');
  });

  it.each(['"x"', '*', '"1", "2"', '', '-1', '"1'])('with If-Match %p is a 400', async (tag) => {
    expectError(await status({ status: 'IN_PROGRESS' }, { 'if-match': tag }), 'BAD_REQUEST', 'views');
  });

  it('from another site is refused with 403', async () => {
    expectError(await status({ status: 'IN_PROGRESS' }, { origin: 'https://evil.example' }), 'FORBIDDEN', 'views');
    expectError(await status({ status: 'IN_PROGRESS' }, { 'sec-fetch-site': 'cross-site' }), 'FORBIDDEN', 'views');
  });
});

describe('every answer', () => {
  it('carries the rate limit, a request id of its own and no cache', async () => {
    const paths = [
      '/api/v1/check/findings',
      '/api/v1/nothing',
      '/gateway/health',
      '/gateway/services',
      '/gateway/openapi.json',
      '/gateway/explorer',
      '/',
      '/nothing',
      '/auth/saml/login',
      ...findingEngines.map(({ prefix }) => `/api/v1/${prefix}/summary`),
    ];
    const ids = new Set<string>();
    for (const reader of [client, world.anonymous]) {
      for (const path of paths) {
        const answer = await reader.call(path);
        expectLimits(answer);
        ids.add(answer.headers.get('x-request-id')!);
        if (path.startsWith('/api/v1/')) expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
        expect(answer.headers.get('x-powered-by')).toBeNull();
      }
    }
    expect(ids.size).toBe(paths.length * 2);
    for (const answer of [
      await client.call('/graphql', { body: { query: '{ me { email } }' } }),
      await client.call('/graphql', { body: { query: '{' } }),
      await world.anonymous.call('/graphql', { body: { query: '{ me { email } }' } }),
    ])
      expectLimits(answer);
  });
});
