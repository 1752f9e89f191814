import type { FastifyInstance } from 'fastify';
import { as, createTestApp } from './support-app.js';
import { calls } from './support-engines.js';

let app: FastifyInstance;
beforeAll(async () => ({ app } = await createTestApp()));
afterAll(() => app.close());
beforeEach(() => void (calls.length = 0));

const get = (url: string) => app.inject({ url, headers: as('org_admin') });
const list = (query: string) => get(`/api/v1/inventory/assets?${query}`);

describe('query parameters that hold', () => {
  test.each<[string, Record<string, unknown>]>([
    ['severity=high', { severity: ['high'] }],
    ['severity=high,low&severity=info', { severity: ['high', 'low', 'info'] }],
    ['severity=high%2Clow', { severity: ['high', 'low'] }],
    [
      `region=${Array.from({ length: 60 }, (_, index) => `r${index}`).join('&region=')}`,
      { region: Array.from({ length: 60 }, (_, index) => `r${index}`) },
    ],
    ['region=eu%20west+1', { region: ['eu west 1'] }],
    ['resource_uid=cn%3Da%2Cdc%3Db,second', { resource_uid: ['cn=a,dc=b', 'second'] }],
    ['page=2&page_size=200', { page: 2, page_size: 200 }],
    ['exposed=true', { exposed: true }],
    ['exposed=false', { exposed: false }],
    ['risk=1.5e1', { risk: 15 }],
    ['after=2026-01-31T08:00:00%2B02:00', { after: new Date('2026-01-31T06:00:00.000Z') }],
    ['after=2026-01-31T08:00:00.123456789Z', { after: new Date('2026-01-31T08:00:00.123Z') }],
    ['after=2024-02-29', { after: new Date('2024-02-29T00:00:00.000Z') }],
    ['q=', { q: '' }],
    ['q=a%26b%3Dc%25', { q: 'a&b=c%' }],
    ['&&', {}],
  ])('%s', async (query, expected) => {
    const answer = await list(query);
    expect([answer.statusCode, answer.body.slice(0, 200)]).toEqual([200, expect.any(String)]);
    expect(calls).toHaveLength(1);
    expect(calls[0]!.args).toEqual({ page: 1, page_size: 50, ...expected });
  });
});

describe('query parameters that do not', () => {
  test.each([
    ['severity[$ne]=x', /no query parameter "severity\[\$ne\]"; known ones: page, page_size/],
    ['severity%5B%24ne%5D=x', /no query parameter/],
    ['region[$regex]=.*', /no query parameter/],
    ['account_id=1', /no query parameter "account_id"/],
    ['Severity=high', /no query parameter/],
    ['__proto__=x', /no query parameter/],
    ['constructor=x', /no query parameter/],
    ['%0d%0aevil=1', /no query parameter with that name/],
    ['severity=HIGH', /severity must be one of critical, high, medium, low, info/],
    ['severity=high,', /severity has an empty value/],
    ['severity=', /severity has an empty value/],
    ['provider=aws&provider=gcp', /provider is given more than once/],
    ['provider=aws,gcp', /provider must be one of aws, azure/],
    ['page=0', /page must be an integer of at least 1/],
    ['page=-1', /page must be an integer of at least 1/],
    ['page=1.5', /page must be an integer/],
    ['page=1e3', /page must be an integer/],
    ['page=01', /page must be an integer/],
    ['page=9999999999', /page must be an integer/],
    ['page=1&page=2', /page is given more than once/],
    ['page_size=201', /page_size must be an integer from 1 to 200/],
    ['page_size=1000000000', /page_size must be an integer from 1 to 200/],
    ['page_size=0', /from 1 to 200/],
    ['page_size=', /page_size must be an integer/],
    ['page_size=%2050', /page_size must be an integer/],
    ['exposed=1', /exposed must be true or false/],
    ['exposed=TRUE', /exposed must be true or false/],
    ['exposed', /exposed must be true or false/],
    ['risk=Infinity', /risk must be a number/],
    ['risk=0x10', /risk must be a number/],
    ['risk=1e999', /risk must be a number/],
    ['after=yesterday', /after must be an ISO 8601 date-time/],
    ['after=2026-02-30', /ISO 8601/],
    ['after=2023-02-29T00:00:00Z', /ISO 8601/],
    ['after=2026-01-31T08:00:00', /ISO 8601/],
    ['after=2026-01-31T24:00:00Z', /ISO 8601/],
    ['after=1700000000', /ISO 8601/],
    ['q=%zz', /not valid percent-encoding/],
    ['q=%ff', /not valid percent-encoding/],
    ['%zz=1', /not valid percent-encoding/],
  ])('%s', async (query, message) => {
    const answer = await list(query);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({
      page: 'inventory',
      error_code: 'BAD_REQUEST',
      message: expect.stringMatching(message),
      detail: null,
      degraded_engines: [],
    });
    expect(calls).toEqual([]);
  });
});

describe('a resource_uid in one path segment', () => {
  test.each([
    'arn:aws:s3:::b/x y%2F',
    '%25',
    '%',
    '%2F%252F',
    '/',
    'a//b',
    '../../etc/passwd',
    'a?b#c&d=e;f',
    'projects/p/zones/é/instances/日本 😀',
    '$ne',
    '__proto__',
    `x${'ab/'.repeat(660)}`,
    'é'.repeat(1_000),
    'constructor',
    '\u0000',
  ])('%j survives unchanged', async (uid) => {
    const answer = await get(`/api/v1/inventory/asset/${encodeURIComponent(uid)}`);
    expect([answer.statusCode, answer.body.slice(0, 200)]).toEqual([200, expect.any(String)]);
    expect(answer.json()).toMatchObject({ resource_uid: uid });
    expect((await get(`/api/v1/inventory/asset/${encodeURIComponent(uid)}/blast-radius?depth=3`)).json()).toMatchObject({
      resource_uid: uid,
    });
    expect(calls.at(-1)!.args).toEqual({ resource_uid: uid, depth: 3 });
  });

  test('lower-case escapes are read alike', async () => {
    expect((await get('/api/v1/inventory/asset/a%2fb%3ac')).json()).toMatchObject({ resource_uid: 'a/b:c' });
  });

  test.each(['%', '%2', '%zz', '%ff', 'a%2', '%C3%28', 'x%e0%a4%a'])('%s is malformed: 400', async (segment) => {
    const answer = await get(`/api/v1/inventory/asset/${segment}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ page: 'inventory', error_code: 'BAD_REQUEST' });
    expect(calls).toEqual([]);
  });

  test('an empty segment is no endpoint', async () => {
    expect((await get('/api/v1/inventory/asset/')).statusCode).toBe(404);
    expect((await get('/api/v1/inventory/asset//blast-radius')).statusCode).toBe(404);
  });

  test('a segment past the limit is refused', async () => {
    expect((await get(`/api/v1/inventory/asset/${'a'.repeat(6_001)}`)).statusCode).toBe(400);
  });

  test('an integer in the path is strict', async () => {
    expect((await get('/api/v1/rules/r1/7')).statusCode).toBe(200);
    expect((await get('/api/v1/rules/r1/7x')).json()).toMatchObject({
      error_code: 'BAD_REQUEST',
      message: 'The path segment part must be an integer',
    });
  });
});
