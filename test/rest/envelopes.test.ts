import type { FastifyInstance } from 'fastify';
import { ERROR_TABLE } from '../../schema/error-table.js';
import { outcomeOf } from '../../rest/envelopes.js';
import type { RestRoute } from '../../rest/routes.js';
import { PalisadeError } from '../../kit/base/errors.js';
import { as, countingLimiter, createTestApp } from './support-app.js';
import { calls } from './support-engines.js';

let app: FastifyInstance;
const lines: string[] = [];
beforeAll(async () => ({ app } = await createTestApp({ lines })));
afterAll(() => app.close());

const admin = as('org_admin');
const ENVELOPE = ['page', 'error_code', 'message', 'detail', 'degraded_engines'];

describe('errors of an operation', () => {
  test.each(Object.entries(ERROR_TABLE).filter(([code]) => code !== 'INTERNAL'))('%s', async (code, { status }) => {
    const answer = await app.inject({ url: `/api/v1/faults/${code}`, headers: admin });
    expect(answer.statusCode).toBe(status);
    expect(Object.keys(answer.json() as object)).toEqual(ENVELOPE);
    expect(answer.json()).toMatchObject({ page: 'faults', error_code: code, message: `It is ${code}` });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a crash is a 500 with the request id and nothing else, logged as one line', async () => {
    lines.length = 0;
    const answer = await app.inject({ url: '/api/v1/faults/CRASH', headers: admin });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual({
      page: 'faults',
      error_code: 'INTERNAL',
      message: 'Internal server error',
      detail: { request_id: answer.headers['x-request-id'] },
      degraded_engines: [],
    });
    for (const line of lines) {
      for (const control of ['\n', '\r', '\u001b']) expect(line.trimEnd()).not.toContain(control);
      expect(JSON.parse(line)).toMatchObject({ level: 50 });
    }
    expect(lines.join('')).toContain(answer.headers['x-request-id']);
  });

  test('hostile text in a path is logged as one line of JSON', async () => {
    lines.length = 0;
    await app.inject({ url: '/api/v1/faults/CRASH?%0a%1b=%E2%80%A8{"level":50}', headers: admin });
    await app.inject({ url: '/api/v1/faults/CRASH', headers: { ...admin, 'user-agent': '{"level":50}' } });
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe('the graph result', () => {
  const route = {
    field: 'x',
    pathParameters: [{ name: 'id', segment: 4 }],
    status: 200,
    definition: { type: { name: 'AttackPathDetail' } },
  } as unknown as RestRoute;
  const away = new PalisadeError('UPSTREAM_UNAVAILABLE', 'away');
  Object.assign(away.extensions, { engine: 'cdr' });

  test('a value stands when engines of a fan-out are away', () => {
    expect(outcomeOf(route, { data: { x: { a: 1 } }, errors: [away] })).toEqual({ ok: true, value: { a: 1 } });
  });
  test('a value does not stand beside any other error', () => {
    const forbidden = new PalisadeError('FORBIDDEN', 'no');
    expect(outcomeOf(route, { data: { x: { a: 1 } }, errors: [away, forbidden] })).toMatchObject({ ok: false, degraded: ['cdr'] });
  });
  test('without a value the first coded error decides and engines are named', () => {
    const outcome = outcomeOf(route, { data: { x: null }, errors: [new Error('internal') as never, away] });
    expect(outcome).toEqual({ ok: false, error: away, degraded: ['cdr'] });
  });
  test('null of a path with an id does not exist', () => {
    expect(outcomeOf(route, { data: { x: null } })).toMatchObject({ ok: false, error: { message: 'Attack path detail not found' } });
  });
});

describe('answers', () => {
  test('null of a path without an id is an answer', async () => {
    const answer = await app.inject({ url: '/api/v1/assets/nothing', headers: admin });
    expect([answer.statusCode, answer.body]).toEqual([200, 'null']);
  });

  test("an absent thing and another tenant's answer byte for byte alike", async () => {
    const [absent, foreign] = await Promise.all(
      ['absent', 'foreign'].map((id) => app.inject({ url: `/api/v1/inventory/asset/${id}`, headers: admin })),
    );
    expect(absent!.statusCode).toBe(404);
    expect(absent!.rawPayload.equals(foreign!.rawPayload)).toBe(true);
    const [one, other] = [absent!, foreign!].map(({ headers }) => ({ ...headers, 'x-request-id': '', date: '' }));
    expect(one).toEqual(other);
  });

  test('204 sends no body', async () => {
    const answer = await app.inject({ method: 'DELETE', url: '/api/v1/inventory/asset/a', headers: admin });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
  });

  test('HEAD answers like GET, without a body', async () => {
    const answer = await app.inject({ method: 'HEAD', url: '/api/v1/inventory/assets', headers: admin });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });
});

describe('ETag and If-Match', () => {
  const change = (headers: Record<string, string>, id = 'a') =>
    app.inject({ method: 'PATCH', url: `/api/v1/inventory/asset/${id}`, headers: { ...admin, ...headers }, payload: { name: 'b' } });

  test('answers with a version carry it', async () => {
    expect((await app.inject({ url: '/api/v1/inventory/asset/a', headers: admin })).headers.etag).toBe('"3"');
    expect((await app.inject({ url: '/api/v1/inventory/assets', headers: admin })).headers.etag).toBeUndefined();
  });

  test.each(['"3"', '3', 'W/"3"', ' "3" '])('If-Match %s names version 3', async (tag) => {
    const answer = await change({ 'if-match': tag });
    expect([answer.statusCode, answer.headers.etag]).toEqual([200, '"4"']);
    expect(calls.at(-1)!.args).toMatchObject({ expected_version: 3 });
  });

  test('another version is a 412, none is no condition', async () => {
    expect((await change({ 'if-match': '"2"' })).statusCode).toBe(412);
    expect((await change({})).statusCode).toBe(200);
  });

  test.each(['*', '""', '"x"', '"3", "4"', "'3'", '-3', '3.0', '"99999999999"', ''])('If-Match %j is malformed', async (tag) => {
    const answer = await change({ 'if-match': tag });
    expect(answer.json()).toMatchObject({ error_code: 'BAD_REQUEST', message: expect.stringContaining('if-match') });
  });
});

describe('the order of checks', () => {
  test('without a session everything below /api/v1 is a 401, known or not', async () => {
    for (const url of [
      '/api/v1/inventory/assets',
      '/api/v1/nope',
      '/api/v1',
      '/api/v1/',
      '/api/v1/inventory/asset/%zz',
      '/api/v1/inventory/assets?nope=1',
    ]) {
      expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 401]);
    }
    expect((await app.inject({ method: 'PUT', url: '/api/v1/inventory/assets' })).statusCode).toBe(401);
    expect(
      (await app.inject({ method: 'POST', url: '/api/v1/rules/custom', payload: '{', headers: { 'content-type': 'text/plain' } }))
        .statusCode,
    ).toBe(401);
  });

  test('429 comes before 403 and 404, and its headers are true', async () => {
    const { app: limited } = await createTestApp({ rateLimiter: countingLimiter(1).limiter });
    const first = await limited.inject({ url: '/api/v1/inventory/assets', headers: as('viewer') });
    expect([
      first.statusCode,
      first.headers['x-ratelimit-remaining'],
      first.headers['x-ratelimit-limit'],
      first.headers['x-ratelimit-reset'],
    ]).toEqual([200, '0', '60', '1900000000']);
    for (const url of ['/api/v1/inventory/asset/a/blast-radius', '/api/v1/nope', '/api/v1/inventory/assets?nope=1']) {
      const answer = await limited.inject({ url, headers: as('viewer') });
      expect(answer.statusCode).toBe(429);
      expect(answer.headers['retry-after']).toBe('17');
      expect(answer.json()).toMatchObject({ error_code: 'RATE_LIMITED', detail: { window: 'minute', limit: 60, retry_after: 17 } });
    }
    await limited.close();
  });

  test('calls without a session count by address', async () => {
    const { app: limited } = await createTestApp({ rateLimiter: countingLimiter(9, 1).limiter });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await limited.inject({ url: '/api/v1/inventory/assets' })).statusCode);
    expect(statuses).toEqual([401, 429, 429]);
    await limited.close();
  });

  test('403 comes before 404, 400, 415 and 422', async () => {
    const viewer = as('viewer');
    for (const url of [
      '/api/v1/inventory/asset/absent/blast-radius',
      '/api/v1/inventory/asset/a/blast-radius?nope=1',
      '/api/v1/inventory/asset/a/blast-radius?depth=x',
    ]) {
      const answer = await app.inject({ url, headers: viewer });
      expect(answer.json()).toMatchObject({ error_code: 'FORBIDDEN', message: 'Missing permission: encryption:read' });
    }
    const answer = await app.inject({
      method: 'POST',
      url: '/api/v1/rules/custom',
      headers: { ...viewer, 'content-type': 'text/plain' },
      payload: '{',
    });
    expect(answer.statusCode).toBe(403);
  });
});

describe('what is not there', () => {
  test.each(['/api/v1/nope', '/api/v1/inventory', '/api/v1/inventory/assets/', '/api/v1/webhook', '/api/v1/docs', '/api/v1/openapi.json'])(
    '%s is a 404',
    async (url) => {
      const answer = await app.inject({ method: 'GET', url, headers: admin });
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toEqual({
        page: url.split('/')[3],
        error_code: 'NOT_FOUND',
        message: 'No such endpoint',
        detail: null,
        degraded_engines: [],
      });
    },
  );

  test.each(['/webhook', '/webhook/1', '/nope', '/inventory/assets'])("SOFA's router is not reachable at %s", async (url) => {
    const answer = await app.inject({
      method: 'POST',
      url,
      headers: { ...admin, 'content-type': 'application/json' },
      payload: { subscription: 'x', variables: {}, url: 'http://127.0.0.1' },
    });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ page: 'gateway' });
  });

  test.each([
    ['PUT', '/api/v1/inventory/assets', 'GET, HEAD'],
    ['DELETE', '/api/v1/rules/custom', 'GET, HEAD, POST'],
    ['POST', '/api/v1/inventory/asset/a', 'GET, HEAD, PATCH, DELETE'],
    ['OPTIONS', '/api/v1/inventory/asset/a', 'GET, HEAD, PATCH, DELETE'],
    ['GET', '/api/v1/scans/imports', 'POST'],
    ['PUT', '/api/v1/scans/imports', 'POST'],
    ['POST', '/gateway/openapi.json', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
  ] as const)('%s %s is a 405', async (method, url, allow) => {
    const answer = await app.inject({
      method,
      url,
      headers: { ...admin, 'content-type': 'text/plain' },
      payload: method === 'GET' ? undefined : 'x',
    });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow]);
    expect(answer.json()).toMatchObject({
      page: url.split('/')[3] ?? 'gateway',
      error_code: 'METHOD_NOT_ALLOWED',
      detail: { allow: allow.split(', ') },
    });
  });

  test('a literal segment does not hide the pattern that covers it', async () => {
    expect((await app.inject({ url: '/api/v1/rules/custom', headers: admin })).json()).toMatchObject({ resource_uid: 'custom' });
    expect((await app.inject({ url: '/api/v1/rules/custom/5', headers: admin })).json()).toMatchObject({ resource_uid: 'custom 5' });
  });
});
