import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { toEnvelope } from '../../http/envelope.js';
import { as, countingLimiter, createTestApp, type TestOptions } from './support-app.js';

const open: FastifyInstance[] = [];
const createApp = async (options: TestOptions = {}) => {
  const { app } = await createTestApp(options);
  open.push(app);
  return app;
};
afterEach(async () => void (await Promise.all(open.splice(0).map((app) => app.close()))));

/** Sends bytes as they are, and reads until the server closes or `until` came. */
async function raw(app: FastifyInstance, text: string, until?: RegExp): Promise<string> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
      if (until?.test(answer)) socket.end();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

const LIMITS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

test('every response carries the limits, a request id of ours and the security headers', async () => {
  const app = await createApp();
  for (const [url, headers] of [
    ['/', {}],
    ['/nope', {}],
    ['/api/v1/inventory/assets', as('viewer')],
    ['/api/v1/inventory/assets', {}],
    ['/api/v1/inventory/asset/%zz', as('viewer')],
    ['/%zz', {}],
    ['/gateway/openapi.json', {}],
    ['/gateway/docs', {}],
    ['/metrics', {}],
  ] as const) {
    const answer = await app.inject({ url, headers: { ...headers, 'x-request-id': 'forged' } });
    for (const name of LIMITS) expect([url, answer.headers[name]]).toEqual([url, expect.stringMatching(/^\d+$/)]);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  }
});

test('the limits are told even when the store that counts them is away', async () => {
  const away = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED 10.0.0.1'), { name: 'MongoServerSelectionError' }));
  const app = await createApp({
    rateLimiter: { consume: away, consumeAddress: away, peek: away, peekAddress: away, consumeHook: away, consumeAgent: away },
  });
  expect((await app.inject('/')).headers).toHaveProperty('x-ratelimit-limit');
  const answer = await app.inject({ url: '/api/v1/inventory/assets', headers: as('viewer') });
  expect(answer.json()).toEqual({
    page: 'inventory',
    error_code: 'UPSTREAM_UNAVAILABLE',
    message: 'The store is not available',
    detail: null,
    degraded_engines: [],
  });
});

test('X-Forwarded-For is believed from trusted proxies only', async () => {
  const addresses: string[] = [];
  const spy = { allowed: true, window: 'minute', limit: 1, remaining: 1, reset: 1, retry_after: 1 } as const;
  const note = async (address: string) => {
    addresses.push(address);
    return spy;
  };
  const rateLimiter = {
    consume: async () => spy,
    peek: async () => spy,
    peekAddress: async () => spy,
    consumeAddress: note,
    consumeHook: note,
    consumeAgent: note,
  };
  const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.5' };
  await (await createApp({ rateLimiter })).inject({ url: '/api/v1/x', headers });
  await (
    await createApp({ rateLimiter, config: { MAX_IMPORT_MB: 1, ENGINE_TIMEOUT_MS: 1_000, TRUSTED_PROXIES: ['127.0.0.1'] } })
  ).inject({ url: '/api/v1/x', headers });
  expect(addresses).toEqual(['127.0.0.1', '203.0.113.5']);
});

test.each([
  ['with the limits of the address', {}],
  ['with limits also while the store is away', { peekAddress: () => Promise.reject(new Error('away')) }],
] as const)('bytes that are no request get the envelope too, %s', async (_name, own) => {
  const app = await createApp({ rateLimiter: { ...countingLimiter().limiter, ...own } });
  const answer = await raw(app, 'NONSENSE\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ page: 'gateway', error_code: 'BAD_REQUEST' });
  for (const name of LIMITS) expect(answer).toMatch(new RegExp(`\r\n${name}: \\d+\r\n`));
  expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
  expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/);
});

test('a connection goes on after a refused body', async () => {
  const app = await createApp();
  const body = 'x'.repeat(2_000_000);
  const head = `POST /api/v1/rules/custom HTTP/1.1\r\nHost: a\r\nX-Test-Role: org_admin\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const next = 'GET /api/v1/owners/count HTTP/1.1\r\nHost: a\r\nX-Test-Role: org_admin\r\n\r\n';
  const answer = await raw(app, head + body + next, /\r\n\r\n7$/);
  expect(answer).toContain('413 Payload Too Large');
  expect(answer).toContain('200 OK');
});

test('smuggled lengths are refused', async () => {
  const app = await createApp();
  expect(await raw(app, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400 /,
  );
});

describe('metrics', () => {
  const METRICS = { MAX_IMPORT_MB: 1, ENGINE_TIMEOUT_MS: 1_000, METRICS_TOKEN: 'a token of the tests' };
  test('are labelled by template, never by path', async () => {
    const app = await createApp();
    await app.inject({ url: '/api/v1/inventory/asset/secret-name', headers: as('viewer') });
    await app.inject({ url: '/api/v1/other-name', headers: as('viewer') });
    const { body } = await app.inject('/metrics');
    expect(body).toContain('route="/api/v1/inventory/asset/:resource_uid",status="200"');
    expect(body).toContain('route="unknown",status="404"');
    expect(body).not.toMatch(/secret-name|other-name/);
  });
  test.each([
    [{ remoteAddress: '127.0.0.1' }, 200],
    [{ remoteAddress: '::1' }, 200],
    [{ remoteAddress: '10.0.0.9' }, 403],
    [{ remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': '127.0.0.1' } }, 403],
    [{ remoteAddress: '10.0.0.9', headers: { authorization: `Bearer ${METRICS.METRICS_TOKEN}` } }, 200],
    [{ remoteAddress: '10.0.0.9', headers: { authorization: 'Bearer a token of the other' } }, 403],
    [{ remoteAddress: '10.0.0.9', headers: { authorization: 'Bearer ' } }, 403],
  ])('%j gives %d', async (caller, status) => {
    const app = await createApp({ config: METRICS });
    expect((await app.inject({ url: '/metrics', ...caller })).statusCode).toBe(status);
  });
});

test('what extends the app passes the same pipeline', async () => {
  const app = await createApp({
    extend: (extended) => void extended.get('/api/v1/exports/:id/download', async (request) => ({ role: request.auth?.role })),
  });
  expect((await app.inject('/api/v1/exports/1/download')).statusCode).toBe(401);
  expect((await app.inject({ url: '/api/v1/exports/1/download', headers: as('viewer') })).json()).toEqual({ role: 'viewer' });
  expect((await app.inject({ method: 'PUT', url: '/api/v1/exports/1/download', headers: as('viewer') })).headers.allow).toBe('GET, HEAD');
});

test('an envelope of an error that is nobody’s tells nothing', () => {
  for (const error of [
    new Error('secret'),
    'secret',
    null,
    undefined,
    { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', detail: 'secret' }, message: 'secret' },
    { statusCode: 500, message: 'secret' },
  ]) {
    const { status, body } = toEnvelope(error, { id: 'r1', url: '/api/v1/x?y' });
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(body).toMatchObject({ page: 'x', detail: { request_id: 'r1' } });
  }
});
