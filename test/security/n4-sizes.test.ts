import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { bucket, ocsf } from '../support/reports.js';
import { withinTimes } from '../support/within.js';
import { openWorld, type Answer, type Client, type World } from '../support/world.js';

let world: World;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
  client = await (await world.tenant()).as('org_admin');
});
afterAll(() => world.close());

const rule = { title: 'A rule', severity: 'low', resource_types: ['aws_s3_bucket'], expression: 'has(r.bucket)' };
const post = (text: string | Uint8Array, headers: Record<string, string> = {}) =>
  client.call('/api/v1/rules/custom', { raw: text, headers: { 'content-type': 'application/json', ...headers } });

describe('N4: a body out of all proportion', () => {
  it('is taken in its proper form', async () => {
    expect((await post(JSON.stringify({ ...rule, rule_id: 'custom.of-proper-size' }))).status).toBe(201);
  });

  const open = JSON.stringify(rule).slice(0, -1);
  it.each([
    ['depth 5,000', `${open},"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, {}, 422],
    ['100,000 keys', `${open},"x":{${Array.from({ length: 100_001 }, (_, n) => `"${n.toString(36)}":0`).join(',')}}}`, {}, 422],
    ['a compressed body', gzipSync(JSON.stringify(rule)), { 'content-encoding': 'gzip' }, 415],
    ['a text that says it is a form', JSON.stringify(rule), { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a text of no type that is known', JSON.stringify(rule), { 'content-type': 'application/x-yaml' }, 415],
  ])('%s is refused in the time of a few plain calls', async (_name, body, headers, status) => {
    const answer = await withinTimes(
      20,
      () => client.call('/api/v1/users/me'),
      () => post(body, headers as Record<string, string>),
    );
    expect(answer.status).toBe(status);
  });

  it('of 10 MB is refused by the length that it announces, before the rest is there', async () => {
    expect((await post(`${open},"description":"${'x'.repeat(10_000_000)}"}`)).status).toBe(413);
    const announced = () =>
      new Promise<Answer>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': '10000000', cookie: client.cookie! };
        const call = request(`${client.base}/api/v1/rules/custom`, { method: 'POST', headers }, (response) => {
          resolve({ status: response.statusCode! } as Answer);
          call.destroy();
        });
        call.on('error', reject);
        call.write('{');
      });
    expect((await announced()).status).toBe(413);
  });

  it('is refused in the same way at sign-in', async () => {
    const login = (raw: string) => world.anonymous.call('/api/auth/login', { raw, headers: { 'content-type': 'application/json' } });
    expect((await login('{"email":"nobody@test.example","password":"wrong"}')).status).toBe(401);
    expect((await login(`{"email":"a@b.example","password":"${'x'.repeat(10_000_000)}"}`)).status).toBe(413);
    expect((await login('['.repeat(5_000) + ']'.repeat(5_000))).status).toBe(422);
  });
});

describe('N4: a report that unpacks to more than is accepted', () => {
  it('is 413, and the server goes on', async () => {
    // 16 MiB is what the test server accepts; this is 64 MiB of spaces in 64 KiB
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, ' '));
    expect(bomb.length).toBeLessThan(100_000);
    const imported = (raw: Uint8Array) => client.call('/api/v1/scans/imports', { raw, headers: { 'content-encoding': 'gzip' } });
    expect((await imported(bomb)).status).toBe(413);
    expect((await imported(gzipSync(JSON.stringify(ocsf([{ rule: 'a', resource: bucket('a') }]))))).status).toBe(202);
  });
});
