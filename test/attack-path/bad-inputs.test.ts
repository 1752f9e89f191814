import { eventually } from '../support/receiver.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ACCOUNT = '111122223333';
const BUCKET = 'arn:aws:s3:::patients';
const iam = (what: string) => `arn:aws:iam::${ACCOUNT}:${what}`;

const resource = (type: string, name: string, attributes: object) => ({
  ...{ mode: 'managed', type, name, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
  instances: [{ attributes }],
});
const bucket = (settings: object = {}) =>
  resource('aws_s3_bucket', 'patients', { arn: BUCKET, bucket: 'patients', tags: { 'data-classification': 'phi' }, ...settings });
const PLAIN = resource('aws_s3_bucket', 'plain', { arn: 'arn:aws:s3:::plain', bucket: 'plain' });
const PUBLIC = bucket({ acl: 'public-read' });
const see = async (client: Client, ...resources: object[]) =>
  expect(
    await client.import(
      { ...{ version: 4, terraform_version: '1.9.0', serial: 1, lineage: 'estate' }, resources },
      { account_id: ACCOUNT, artifact: 'estate' },
    ),
  ).toMatchObject({ state: 'COMPLETED', errors: [] });

interface Listed {
  items: { path_id: string; pattern: string[]; likelihood: number }[];
  total: number;
  empty_because: string | null;
}
const paths = async (client: Client, query = '') => (await client.call<Listed>(`/api/v1/attack-paths${query}`)).body;
const why = async (client: Client, query = '') => {
  const { total, empty_because } = await paths(client, query);
  return [total, empty_because];
};
const mark = (client: Client, body: object) =>
  client.call(`/api/v1/risk/crown-jewels/${encodeURIComponent(BUCKET)}`, { method: 'PUT', body: { reason: 'Ours', ...body } });
interface Summary {
  statistics: { mean: number; high: number; standard_error: number } | null;
  without_figures: number;
  jewels: number;
  paths: number;
}
const summary = async (client: Client) => (await client.call<Summary>('/api/v1/risk/summary')).body;

it('an empty list says why: nothing looked for, nothing to be after, no way in, or nothing as asked for', async () => {
  const tenant = await world.tenant();
  const [analyst, viewer] = [await tenant.as('analyst'), await tenant.as('viewer')];
  expect(await why(analyst)).toEqual([0, 'not_searched']);
  await see(analyst, PLAIN);
  expect(await why(analyst)).toEqual([0, 'no_targets']);
  expect((await analyst.call<{ total: number }>('/api/v1/attack-paths/choke-points')).body.total).toBe(0);
  await see(analyst, PLAIN, bucket());
  expect(await why(analyst)).toEqual([0, 'no_entries']);
  // that there is no hole is for who may read what holes there are
  expect(await why(viewer)).toEqual([0, 'no_way']);
  expect(await summary(analyst)).toMatchObject({ paths: 0, jewels: 0, statistics: { mean: 0 } });
  await see(analyst, PLAIN, PUBLIC);
  expect(await why(analyst)).toEqual([1, null]);
  expect(await why(analyst, '?to=nothing')).toEqual([0, 'filtered']);
  expect(await why(analyst, '?page=2')).toEqual([1, null]);
  const stranger = await (await world.tenant()).as('analyst');
  const { path_id } = (await paths(analyst)).items[0]!;
  const [foreign, absent] = await Promise.all([path_id, 'f'.repeat(32)].map((id) => stranger.call(`/api/v1/attack-paths/${id}`)));
  expect([foreign!.status, foreign!.text.replaceAll(path_id, '')]).toEqual([404, absent!.text.replaceAll('f'.repeat(32), '')]);
});

it('roles that act as each other make no path longer than it is', async () => {
  const analyst = await (await world.tenant()).as('analyst');
  const trust = (...principals: string[]) =>
    JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal: { AWS: principals }, Action: 'sts:AssumeRole' }] });
  const role = (name: string, ...principals: string[]) =>
    resource('aws_iam_role', name, { arn: iam(`role/${name}`), id: name, name, path: '/', assume_role_policy: trust(...principals) });
  const read = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 's3:GetObject', Resource: `${BUCKET}/*` }] };
  await see(
    analyst,
    bucket(),
    role('first', '*', iam('role/second')),
    role('second', iam('role/first')),
    resource('aws_iam_role_policy', 'read', { id: 'first:read', name: 'read', role: 'first', policy: JSON.stringify(read) }),
  );
  const { items } = await paths(analyst, `?to=${encodeURIComponent(BUCKET)}`);
  expect(items.map(({ pattern }) => pattern)).toEqual([['open_trust', 'data_access']]);
  expect(items[0]!.likelihood).toBeCloseTo(0.9 * 0.9, 9);
});

it('a jewel that is gone has no path and no loss, and is found again when it is back', async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  await see(analyst, PLAIN, PUBLIC);
  expect((await mark(admin, { decision: 'accepted', tier: 'critical', value: 5_000 })).status).toBe(200);
  await eventually(
    () => summary(analyst),
    ({ without_figures, paths: found }) => without_figures === 0 && found === 1,
  );
  await see(analyst, PLAIN);
  expect((await paths(analyst)).total).toBe(0);
  expect(await summary(analyst)).toMatchObject({ paths: 0, jewels: 0, statistics: { mean: 0 } });
  const { body } = await analyst.call<{ items: { status: string }[] }>('/api/v1/attack-path/findings?status=OPEN,RESOLVED');
  expect(body.items.map(({ status }) => status)).toEqual(['RESOLVED']);
  await see(analyst, PLAIN, PUBLIC);
  expect(await why(analyst)).toEqual([1, null]);
  expect(await summary(analyst)).toMatchObject({ paths: 1, jewels: 1, without_figures: 0 });
});

it('a value of nothing and one of a million millions are figures like others', async () => {
  const tenant = await world.tenant();
  const [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  await see(analyst, PUBLIC);
  const reckoned = async (value: number, isDone: (mean: number) => boolean) => {
    expect((await mark(admin, { decision: 'accepted', tier: 'critical', value, value_per_hour: 0, records: 0, fines: 0 })).status).toBe(
      200,
    );
    const { statistics } = await eventually(
      () => summary(analyst),
      (told) => told.without_figures === 0 && told.statistics !== null && isDone(told.statistics.mean),
    );
    return statistics!;
  };
  // the response to an incident costs what it costs, whatever the value: (20,000 + 4 × 200,000 + 1,630,000) / 6
  const response = 2_450_000 / 6;
  const none = await reckoned(0, (mean) => mean > 0);
  expect(Math.abs(none.mean - 0.95 * response)).toBeLessThan(4 * none.standard_error);
  const most = await reckoned(1e12, (mean) => mean > 1e9);
  expect(Math.abs(most.mean - 0.95 * (1e12 + response))).toBeLessThan(4 * most.standard_error);
  expect([none.high, most.high].every(Number.isFinite)).toBe(true);
  for (const value of ['NaN', '1e999', '"NaN"', '-1']) {
    const path = `/api/v1/risk/crown-jewels/${encodeURIComponent(BUCKET)}`;
    const raw = `{"decision":"accepted","reason":"r","value":${value}}`;
    const answer = await admin.call(path, { method: 'PUT', raw, headers: { 'content-type': 'application/json' } });
    expect([400, 422]).toContain(answer.status);
  }
});
