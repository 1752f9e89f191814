import type { FastifyInstance } from 'fastify';
import { as, createTestApp } from './support-app.js';
import { calls } from './support-engines.js';
import { withinCpu } from '../support/within.js';

let app: FastifyInstance;
beforeAll(async () => ({ app } = await createTestApp()));
afterAll(() => app.close());
beforeEach(() => void (calls.length = 0));

const send = (payload: string, headers: Record<string, string> = { 'content-type': 'application/json' }, url = '/api/v1/rules/custom') =>
  app.inject({ method: 'POST', url, headers: { ...as('org_admin'), ...headers }, payload });
const violations = async (body: unknown) => {
  const answer = await send(typeof body === 'string' ? body : JSON.stringify(body));
  expect(answer.json()).toMatchObject({ page: 'rules', error_code: 'VALIDATION_ERROR', degraded_engines: [] });
  expect(answer.statusCode).toBe(422);
  expect(calls).toEqual([]);
  return (answer.json() as { detail: { path: string; message: string }[] }).detail;
};

test('a body that holds becomes the input', async () => {
  const body = {
    name: 'a',
    provider: 'aws',
    count: 3,
    until: '2026-01-31T08:00:00+01:00',
    labels: [{ key: 'k', value: null }],
    extra: { any: [1, { thing: null }] },
  };
  const answer = await send(JSON.stringify(body), { 'content-type': 'application/json; charset=utf-8' });
  expect(answer.statusCode).toBe(201);
  expect(calls[0]!.args).toEqual({ input: { ...body, until: new Date('2026-01-31T07:00:00.000Z') } });
});

test('a byte order mark is no mistake', async () => {
  expect((await send('\ufeff{"name":"a"}')).statusCode).toBe(201);
});

test.each<[unknown, { path: string; message: string }[]]>([
  [{}, [{ path: 'name', message: 'is required' }]],
  [{ name: null }, [{ path: 'name', message: 'must not be null' }]],
  [{ name: ['a'] }, [{ path: 'name', message: 'must be a string' }]],
  [{ name: { a: 1 } }, [{ path: 'name', message: 'must be a string' }]],
  [{ name: 'a', count: '3' }, [{ path: 'count', message: 'must be an integer' }]],
  [{ name: 'a', count: 2.5 }, [{ path: 'count', message: 'must be an integer' }]],
  [{ name: 'a', provider: 'AWS' }, [{ path: 'provider', message: 'must be one of aws, azure, gcp, oci, alicloud, ibm, k8s' }]],
  [{ name: 'a', until: 'soon' }, [{ path: 'until', message: expect.stringContaining('ISO 8601') }]],
  [{ name: 'a', labels: 'x' }, [{ path: 'labels', message: 'must be a list' }]],
  [
    { name: 'a', labels: [{ key: 'k' }, { kee: 'k' }] },
    [
      { path: 'labels[1].kee', message: 'is not a known field' },
      { path: 'labels[1].key', message: 'is required' },
    ],
  ],
  [
    { name: 'a', tenant_id: 't2', role: 'org_admin' },
    [
      { path: 'tenant_id', message: 'is not a known field' },
      { path: 'role', message: 'is not a known field' },
    ],
  ],
  [{ name: { $gt: '' } }, [{ path: 'name.$gt', message: expect.stringContaining('$') }]],
  [{ name: 'a', $where: '1' }, [{ path: '$where', message: expect.any(String) }]],
  [{ name: 'a', extra: { 'a.b': 1 } }, [{ path: 'extra.a.b', message: expect.any(String) }]],
  [{ name: 'a', extra: [{ deep: { $expr: 1 } }] }, [{ path: 'extra[0].deep.$expr', message: expect.any(String) }]],
  [[], [{ path: '', message: 'must be an object' }]],
  ['"text"', [{ path: '', message: 'must be an object' }]],
  ['null', [{ path: '', message: 'must not be null' }]],
  ['', [{ path: '', message: 'a JSON body is required' }]],
  ['  \n', [{ path: '', message: 'a JSON body is required' }]],
])('%j breaks the schema', async (body, expected) => {
  expect(await violations(body)).toEqual(expected);
});

test.each(['{"name":', "{'name':1}", '{"name":"a"}}', '{name:1}', 'NaN', '{"a":1,}', '\u0000'])('%j is not JSON: 400', async (body) => {
  const answer = await send(body);
  expect(answer.json()).toMatchObject({ error_code: 'BAD_REQUEST', message: 'The body is not valid JSON' });
  expect(answer.statusCode).toBe(400);
});

test.each([
  ['{"name":"a","__proto__":{"polluted":true}}', '__proto__'],
  ['{"name":"a","extra":{"__proto__":{"polluted":true}}}', 'extra.__proto__'],
  ['{"name":"a","extra":[{"constructor":{"prototype":{"polluted":true}}}]}', 'extra[0].constructor'],
  ['{"name":"a","extra":{"\\u005f_proto__":{"polluted":true}}}', 'extra.__proto__'],
  ['{"name":"a","prototype":1}', 'prototype'],
])('%s pollutes nothing', async (body, path) => {
  expect(await violations(body)).toEqual([{ path, message: 'is not allowed as a key' }]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

test('words of prototypes are welcome as values', async () => {
  expect((await send('{"name":"__proto__ constructor"}')).statusCode).toBe(201);
});

describe('large and deep bodies are refused at once', () => {
  const nested = (depth: number) => `{"name":"a","extra":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const keyed = (count: number) =>
    `{"name":"a","extra":{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join(',')}}}`;
  test.each([
    ['depth 5,000', nested(5_000), 422],
    ['depth 500,000', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, 422],
    ['depth 101', nested(101), 422],
    ['more than 100,000 keys', keyed(100_001), 422],
    ['a string of 10 MB', `{"name":"${'a'.repeat(10_000_000)}"}`, 413],
    ['backslashes', `{"name":"${'\\'.repeat(1_000_000)}"}`, 201],
    ['an endless string', `{"name":"${'\\"'.repeat(500_000)}`, 400],
  ])('%s', async (_name, body, status) => {
    const payload = Buffer.from(body);
    const headers = { ...as('org_admin'), 'content-type': 'application/json' };
    const answer = await withinCpu(500, () => app.inject({ method: 'POST', url: '/api/v1/rules/custom', headers, payload }));
    expect(answer.statusCode).toBe(status);
  });

  test('depth 99 and brackets within strings are fine', async () => {
    expect((await send(nested(98))).statusCode).toBe(201);
    expect((await send(JSON.stringify({ name: '['.repeat(300) + ':"\\'.repeat(200) }))).statusCode).toBe(201);
  });
});

describe('content types', () => {
  test.each([
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 415],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, 415],
    [{ 'content-type': 'application/jsonp' }, 415],
    [{ 'content-type': 'not a type' }, 415],
    [{}, 415],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 415],
    [{ 'content-type': 'application/json', 'content-encoding': 'br' }, 415],
    [{ 'content-type': 'Application/JSON;charset=UTF-8' }, 201],
  ])('%j gives %d', async (headers, status) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/api/v1/rules/custom',
      headers: { ...as('org_admin'), ...headers },
      payload: Buffer.from('{"name":"a"}'),
    });
    expect(answer.statusCode).toBe(status);
    if (status === 415) expect(answer.json()).toMatchObject({ page: 'rules', error_code: 'UNSUPPORTED_MEDIA_TYPE' });
  });
});

describe('an endpoint without a body', () => {
  const rescan = '/api/v1/inventory/asset/a/rescan';
  test.each([
    ['', {}, 202],
    ['', { 'content-type': 'application/json' }, 202],
    ['{}', { 'content-type': 'application/json' }, 202],
    ['{"tenant_id":"t2"}', { 'content-type': 'application/json' }, 422],
    ['[1]', { 'content-type': 'application/json' }, 422],
    ['x', { 'content-type': 'text/plain' }, 415],
  ])('%j with %j gives %d', async (body, headers, status) => {
    const answer = await send(body, headers, rescan);
    expect(answer.statusCode).toBe(status);
  });
});
