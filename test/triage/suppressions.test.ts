import { feed, type Sample } from '../contract/feeds.js';
import { suppressions } from '../../kit/findings/suppressions/records.js';
import { eventually } from '../support/receiver.js';
import { openWorld, type Answer, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  client = await tenant.as('analyst');
});
afterAll(() => world.close());

interface Suppression {
  id: string;
  state: string;
  matched_count: number;
  applying: boolean;
  scope: Record<string, string[]>;
  findings: { finding_id: string; engine: string; status: string }[] | null;
  restrictedEngines: string[];
}
interface Listed {
  items: { finding_id: string; resource_uid: string; status: string; first_seen_at: string; version: number }[];
  total: number;
}

const sample = (n: number, more: Partial<Sample> = {}): Sample => ({
  rule: 'bucket-public',
  title: 'A bucket is public',
  resource: `arn:aws:s3:::bucket-${n}`,
  name: `bucket-${n}`,
  severity: 'high',
  provider: 'aws',
  account: '111122223333',
  region: 'eu-west-1',
  type: 'aws_s3_bucket',
  ...more,
});
const report = (samples: readonly Sample[], run: string, segment = 'check') =>
  feed(client, segment, samples, { source: 'scanner', query: { scan_run_id: run } });
const make = async (body: Record<string, unknown>, as = client): Promise<Answer<Suppression>> => as.call('/api/v1/suppressions', { body });
const read = async (id: string, as = client): Promise<Suppression> => (await as.call<Suppression>(`/api/v1/suppressions/${id}`)).body;
const list = async (query = ''): Promise<Listed> =>
  (await client.call<Listed>(`/api/v1/check/findings?status=OPEN,IN_PROGRESS,SUPPRESSED,RESOLVED,FALSE_POSITIVE${query}`)).body;
const statuses = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await list()).items.map(({ resource_uid, status }) => [resource_uid.replace(/.*-/, ''), status]));
const idOf = async (n: number): Promise<string> =>
  (await list()).items.find(({ resource_uid }) => resource_uid.endsWith(`-${n}`))!.finding_id;
const move = (id: string, status: string) => client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status } });

it('a suppression is in force at once for what there is and what comes, and lifting it opens them with their first sighting', async () => {
  await report([sample(1), sample(2), sample(3, { rule: 'other' })], 'one');
  const before = new Map((await list()).items.map(({ finding_id, first_seen_at }) => [finding_id, first_seen_at]));
  const { status, body: made } = await make({ scope: { rule_id: ['bucket-public'] }, reason: 'Public on purpose' });
  expect({ status, ...made }).toMatchObject({ status: 201, state: 'ACTIVE', matched_count: 2, applying: false });
  expect(await statuses()).toEqual({ 1: 'SUPPRESSED', 2: 'SUPPRESSED', 3: 'OPEN' });
  expect((await client.call<Listed>('/api/v1/check/findings')).body.total).toBe(1);

  await report([1, 2, 4].map((n) => sample(n)).concat(sample(3, { rule: 'other' })), 'two');
  expect(await statuses()).toEqual({ 1: 'SUPPRESSED', 2: 'SUPPRESSED', 3: 'OPEN', 4: 'SUPPRESSED' });
  const shown = await read(made.id);
  expect(shown).toMatchObject({ matched_count: 3, scope: { rule_id: ['bucket-public'], tag: [] }, restrictedEngines: [] });
  expect(shown.findings!.map(({ engine, status: at }) => [engine, at])).toEqual(Array(3).fill(['check', 'SUPPRESSED']));

  expect((await client.call(`/api/v1/suppressions/${made.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await statuses()).toEqual({ 1: 'OPEN', 2: 'OPEN', 3: 'OPEN', 4: 'OPEN' });
  for (const { finding_id, first_seen_at } of (await list()).items)
    if (before.has(finding_id)) expect(first_seen_at).toBe(before.get(finding_id));
  expect((await client.call(`/api/v1/suppressions/${made.id}`)).status).toBe(404);

  const path = `/api/v1/views/finding/check/${await idOf(1)}/timeline`;
  const { items } = (await client.call<{ items: { action: string; from: string; to: string; note: string; actor_email: string }[] }>(path))
    .body;
  expect(items.map(({ action, from, to, note, actor_email }) => [action, from, to, note, actor_email])).toEqual([
    ['finding.unsuppress', 'SUPPRESSED', 'OPEN', null, client.user!.email],
    ['finding.suppress', 'OPEN', 'SUPPRESSED', 'Public on purpose', client.user!.email],
    ['finding.open', null, 'OPEN', null, 'system'],
  ]);
  const trail = (await client.call('/api/v1/audit-logs?action=suppression.create,suppression.delete')).status;
  expect(trail).toBe(403);
  const admin = await tenant.as('tenant_admin');
  const kept = await admin.call<{ total: number }>('/api/v1/audit-logs?action=suppression.create,suppression.delete,finding.suppress');
  expect(kept.body.total).toBe(5);
});

it('a suppression ends by itself when its time is over, and takes nothing from then on', async () => {
  await report([sample(1)], 'one');
  const scope = { resource_uid: ['arn:aws:s3:::bucket-?'] };
  const { body } = await make({ scope, reason: 'For now', expires_at: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await statuses()).toEqual({ 1: 'SUPPRESSED' });
  // as if the hour were over
  const over = new Date(Date.now() - 1);
  const rows = world.database.tenant(tenant.tenant._id).collection(suppressions);
  await rows.update({ _id: body.id }, { $set: { expires_at: over, due_at: over } });
  const ended = await eventually(
    () => read(body.id),
    ({ state, applying }) => state === 'EXPIRED' && !applying,
  );
  expect(ended.findings).toEqual([]);
  expect(await eventually(statuses, (all) => all['1'] === 'OPEN')).toEqual({ 1: 'OPEN' });
  await report([sample(1), sample(2)], 'two');
  expect(await statuses()).toEqual({ 1: 'OPEN', 2: 'OPEN' });

  const again = await client.call<Suppression>(`/api/v1/suppressions/${body.id}`, { method: 'PATCH', body: { expires_at: null } });
  expect(again.body).toMatchObject({ state: 'ACTIVE', expires_at: null, matched_count: 2 });
  expect(await statuses()).toEqual({ 1: 'SUPPRESSED', 2: 'SUPPRESSED' });
});

it('another scope moves what it takes and what it leaves, and what several take stays as long as one does', async () => {
  await report(
    [1, 2, 3].map((n) => sample(n, { account: `account-${n}` })),
    'one',
  );
  const first = (await make({ scope: { account_id: ['account-1', 'account-2'] }, reason: 'First' })).body;
  const second = (await make({ scope: { account_id: ['account-2'], engine: ['check'] }, reason: 'Second' })).body;
  expect([(await read(first.id)).matched_count, second.matched_count]).toEqual([2, 1]);
  const body = { scope: { account_id: ['account-3'] } };
  const { body: changed } = await client.call<Suppression>(`/api/v1/suppressions/${first.id}`, { method: 'PATCH', body });
  expect(changed).toMatchObject({ matched_count: 1, reason: 'First' });
  expect(await statuses()).toEqual({ 1: 'OPEN', 2: 'SUPPRESSED', 3: 'SUPPRESSED' });
  expect((await read(second.id)).matched_count).toBe(1);
});

it('what a person has suppressed stays theirs, and what a suppression takes cannot be opened by hand', async () => {
  await report([sample(1), sample(2), sample(3)], 'one');
  const [one, two, three] = [await idOf(1), await idOf(2), await idOf(3)];
  await move(one, 'SUPPRESSED');
  await move(two, 'FALSE_POSITIVE');
  const { body } = await make({ scope: { rule_id: ['bucket-public'] }, reason: 'Accepted' });
  expect(body.matched_count).toBe(1);
  for (const id of [one, two, three]) {
    const refused = await move(id, 'OPEN');
    expect(refused.status).toBe(409);
    expect(refused.body['detail']).toEqual({ suppressed_by: [body.id] });
  }
  expect((await move(three, 'FALSE_POSITIVE')).status).toBe(200);
  expect((await read(body.id)).matched_count).toBe(0);
  await client.call(`/api/v1/suppressions/${body.id}`, { method: 'DELETE' });
  expect(await statuses()).toEqual({ 1: 'SUPPRESSED', 2: 'FALSE_POSITIVE', 3: 'FALSE_POSITIVE' });
});

it('tags are those of the inventory, also of findings that the run which tells them does not report', async () => {
  await report([sample(1), sample(2)], 'one');
  const { body } = await make({ scope: { tag: ['team=red'] }, reason: 'The red team looks after itself' });
  expect(body.matched_count).toBe(0);
  const bucket = (n: number, team: string) => ({
    mode: 'managed',
    type: 'aws_s3_bucket',
    name: `b${n}`,
    provider: 'provider["registry.terraform.io/hashicorp/aws"]',
    instances: [{ attributes: { arn: `arn:aws:s3:::bucket-${n}`, bucket: `bucket-${n}`, tags: { team } } }],
  });
  const state = (team: string) => ({
    version: 4,
    terraform_version: '1.9.0',
    serial: 1,
    lineage: 'l',
    resources: [bucket(1, team), bucket(2, 'blue')],
  });
  await client.import(state('red'), { scan_run_id: 'red', observed_at: new Date(Date.now() - 60_000).toISOString() });
  const ofScanner = async () =>
    Object.fromEntries((await list('&rule_id=bucket-public')).items.map(({ resource_uid, status }) => [resource_uid.slice(-1), status]));
  expect(await ofScanner()).toEqual({ 1: 'SUPPRESSED', 2: 'OPEN' });
  await client.import(state('green'), { scan_run_id: 'green' });
  expect(await ofScanner()).toEqual({ 1: 'OPEN', 2: 'OPEN' });
});

it('a preview counts and shows what would be taken, and stores nothing', async () => {
  await report([sample(1), sample(2), sample(3, { region: 'us-east-1' })], 'one');
  await report([sample(1, { rule: 'CVE-2026-1111' })], 'two', 'vulnerability');
  await make({ scope: { resource_uid: ['arn:aws:s3:::bucket-2'] }, reason: 'Accepted' });
  const preview = async (scope: Record<string, string[]>, as = client) =>
    (await as.call<Suppression & { moved_count: number }>('/api/v1/suppressions/preview', { body: { scope } })).body;
  expect(await preview({ region: ['eu-west-1'], engine: ['check'] })).toMatchObject({
    matched_count: 2,
    moved_count: 1,
    restrictedEngines: [],
  });
  expect((await preview({ resource_uid: ['*bucket-1'] })).findings!.map(({ engine }) => engine).sort()).toEqual(['check', 'vulnerability']);
  expect(await preview({ cve: ['cve-2026-1111'] })).toMatchObject({ matched_count: 1 });
  expect((await list()).items.filter(({ status }) => status === 'SUPPRESSED')).toHaveLength(1);
  const viewer = await tenant.as('viewer');
  expect(await preview({ resource_uid: ['*bucket-1'] }, viewer)).toMatchObject({
    matched_count: 1,
    restrictedEngines: expect.arrayContaining(['vulnerability']),
  });
});

it('who may not read an engine sees no count of it, and neither covers nor lifts it', async () => {
  await report([sample(1)], 'one');
  await report([sample(1, { rule: 'CVE-2026-1111' })], 'two', 'vulnerability');
  const { body } = await make({ scope: { resource_uid: ['*'] }, reason: 'Everything' });
  expect(body.matched_count).toBe(2);
  expect(await read(body.id, await tenant.as('viewer'))).toMatchObject({ matched_count: 1, findings: [{ engine: 'check' }] });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const admin = await tenant.as('tenant_admin');
  const made = await admin.call<{ key: string }>('/api/v1/api-keys', {
    body: { name: 'k', permissions: ['check:read', 'scans:create'], expires_at },
  });
  const headers = { authorization: `Bearer ${made.body.key}` };
  const withKey = (path: string, method: string, sent?: unknown) =>
    world.anonymous.call<Suppression & { message: string }>(path, { method, body: sent, headers });
  const refused = await withKey(`/api/v1/suppressions/${body.id}`, 'DELETE');
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringMatching(/^Missing permission: /)]);
  const named = await withKey('/api/v1/suppressions', 'POST', { scope: { engine: ['vulnerability'] }, reason: 'Not mine' });
  expect([named.status, named.body.message]).toEqual([403, 'Missing permission: vulnerability:read']);
  await client.call(`/api/v1/suppressions/${body.id}`, { method: 'DELETE' });
  const own = await withKey('/api/v1/suppressions', 'POST', { scope: { resource_uid: ['*'] }, reason: 'Mine' });
  expect([own.status, own.body.matched_count]).toEqual([201, 1]);
  expect((await client.call<Listed>('/api/v1/vulnerability/findings')).body.total).toBe(1);
});

it.each([
  ['a scope without a part', { scope: {}, reason: 'x' }, 422, 'scope'],
  ['an engine that there is not', { scope: { engine: ['nothing'] }, reason: 'x' }, 422, 'scope.engine'],
  ['an empty reason', { scope: { rule_id: ['r'] }, reason: ' ' }, 422, 'reason'],
  ['an expiry that is over', { scope: { rule_id: ['r'] }, reason: 'x', expires_at: '2020-01-01T00:00:00.000Z' }, 422, 'expires_at'],
])('refuses %s, naming it', async (_what, body, status, path) => {
  const answer = await make(body);
  expect(answer.status).toBe(status);
  expect((answer.body as unknown as { detail: { path: string }[] }).detail[0]!.path).toBe(path);
});

it('works over the graph as over REST', async () => {
  await report([sample(1)], 'one');
  const { data } = await client.graphql<{ create_suppression: { id: string; matched_count: number } }>(
    'mutation($input: NewSuppressionInput!) { create_suppression(input: $input) { id matched_count scope { rule_id } } }',
    { input: { scope: { rule_id: 'bucket-public' }, reason: 'Accepted' } },
  );
  expect(data!.create_suppression).toMatchObject({ matched_count: 1, scope: { rule_id: ['bucket-public'] } });
  const found = await client.graphql<{ suppressions: Listed }>('{ suppressions { total items { id findings { engine } } } }');
  expect(found.data!.suppressions).toEqual({ total: 1, items: [{ id: data!.create_suppression.id, findings: null }] });
});
