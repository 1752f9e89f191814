import { ocsf } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const arn = (name: string): string => `arn:aws:s3:::${name}`;

/** A Terraform state of buckets, by name with further attributes. */
const state = (buckets: Readonly<Record<string, Record<string, unknown>>>, lineage: string | null = 'estate') => ({
  ...{ version: 4, terraform_version: '1.9.0', serial: 1, ...(lineage && { lineage }) },
  resources: Object.entries(buckets).map(([bucket, attributes]) => ({
    ...{ mode: 'managed', type: 'aws_s3_bucket', name: bucket, provider: 'provider["registry.terraform.io/hashicorp/aws"]' },
    instances: [{ attributes: { arn: arn(bucket), bucket, ...attributes } }],
  })),
});
/** A plan that keeps a bucket. */
const planOf = (bucket: string, acl: string) => ({
  ...{ format_version: '1.2', terraform_version: '1.9.0' },
  planned_values: {
    root_module: {
      resources: [
        {
          ...{ address: 'aws_s3_bucket.a', mode: 'managed', type: 'aws_s3_bucket', name: 'a' },
          ...{ provider_name: 'registry.terraform.io/hashicorp/aws', values: { arn: arn(bucket), bucket, acl } },
        },
      ],
    },
  },
  resource_changes: [],
  configuration: {},
});
const some = (...names: string[]) => Object.fromEntries(names.map((name) => [name, {}]));

interface Listed {
  items: { resource_uid: string; gone_at?: string | null; first_seen_at: string }[];
  total: number;
}
const see = async (client: Client, scan_run_id: string, report: object, query: Record<string, string> = {}) =>
  expect(await client.import(report, { scan_run_id, ...query })).toMatchObject({ state: 'COMPLETED' });
const listed = async (client: Client, query = ''): Promise<string[]> =>
  (await client.call<Listed>(`/api/v1/inventory/assets?page_size=200&${query}`)).body.items.map(({ resource_uid }) =>
    resource_uid.slice(13),
  );
const assetOf = async (client: Client, name: string) =>
  (await client.call<Record<string, unknown>>(`/api/v1/inventory/asset/${encodeURIComponent(arn(name))}`)).body;
const eventsOf = async (client: Client, name: string) => {
  const { body } = await client.call<{ items: { event: string; scan_run_id: string }[] }>(
    `/api/v1/inventory/asset/${encodeURIComponent(arn(name))}/history`,
  );
  return body.items.map(({ event, scan_run_id }) => `${event} ${scan_run_id}`);
};
const summaryOf = async (client: Client) =>
  (
    await client.call<{ total: number; last_run: Record<string, unknown>; by_type: { value: string; count: number }[] }>(
      '/api/v1/inventory/summary',
    )
  ).body;

it('what a later state of the same estate does not show is gone from lists, totals and views, and kept; seen again it is back', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state(some('a', 'b', 'c')));
  const first = await assetOf(client, 'b');
  await see(client, 'two', state({ ...some('a'), d: {} }));
  expect(await listed(client)).toEqual(['a', 'd']);
  expect(await listed(client, 'gone=true')).toEqual(['b', 'c']);
  expect(await listed(client, 'gone=true&resource_type=aws_instance')).toEqual([]);
  expect(await summaryOf(client)).toMatchObject({
    ...{ total: 2, change: -1, by_type: [{ value: 'aws_s3_bucket', count: 2, change: -1 }] },
    last_run: { scan_run_id: 'two', added: 1, changed: 0, gone: 2, returned: 0 },
  });
  const stores = async () => (await client.call<Listed>('/api/v1/data-security/stores')).body.total;
  expect(await stores()).toBe(2);
  expect(await assetOf(client, 'b')).toMatchObject({ resource_uid: arn('b'), gone_at: expect.any(String) as string });
  expect(await assetOf(client, 'a')).toMatchObject({ gone_at: null });
  await see(client, 'three', state(some('a', 'b', 'd')));
  expect(await listed(client)).toEqual(['a', 'b', 'd']);
  expect(await listed(client, 'gone=true')).toEqual(['c']);
  expect(await stores()).toBe(3);
  expect(await assetOf(client, 'b')).toMatchObject({ gone_at: null, first_seen_at: first['first_seen_at'], scan_run_id: 'three' });
  expect(await eventsOf(client, 'b')).toEqual(['returned three', 'gone two', 'added one']);
  const third = await summaryOf(client);
  expect(third.last_run).toMatchObject({ scan_run_id: 'three', added: 0, gone: 0, returned: 1 });
  expect(third).toMatchObject({ total: 3, change: 1 });
  // what findings name since then counts, and so does a plan
  await see(client, 'findings', ocsf([{ rule: 'r', resource: arn('named') }]));
  expect(await summaryOf(client)).toMatchObject({ total: 4, change: 2, last_run: { scan_run_id: 'three' } });
  await see(client, 'planned', planOf('new', 'private'));
  expect(await summaryOf(client)).toMatchObject({ total: 5, change: 1, planned: 1, last_run: { scan_run_id: 'planned', added: 1 } });
});

it('nothing goes by another estate, a part of one, a report of findings, or what was observed before', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state(some('a', 'b')));
  await see(client, 'other', state(some('x'), 'another'));
  await see(client, 'unnamed', state(some('y'), null));
  const [finding] = [ocsf([{ rule: 'r', resource: arn('z') }])];
  await see(client, 'findings', finding!);
  await see(client, 'late', state(some('a')), { observed_at: '2020-01-01T00:00:00Z' });
  const broken = state(some('a')) as { resources: unknown[] };
  broken.resources.push({ mode: 'managed', type: 'aws_s3_bucket', name: 'broken', instances: ['no instance'] });
  expect(await client.import(broken, { scan_run_id: 'partial' })).toMatchObject({ state: 'PARTIAL' });
  expect(await listed(client)).toEqual(['a', 'b', 'x', 'y', 'z']);
  expect(await listed(client, 'gone=true')).toEqual([]);
});

it('an estate that has become empty is a run of the inventory, too', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state(some('a', 'b')));
  await see(client, 'two', state({}));
  expect(await summaryOf(client)).toMatchObject({
    ...{ total: 0, change: -2, last_run: { scan_run_id: 'two', gone: 2 } },
    by_type: [{ value: 'aws_s3_bucket', count: 0, change: -2 }],
  });
  expect((await client.call<{ removed: number }>('/api/v1/di/drift?from=one&to=two')).body.removed).toBe(2);
});

it('what was observed before, and a plan, bring nothing back; what was looked at later does', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state(some('a', 'b', 'c')));
  await see(client, 'two', state(some('a')));
  await see(client, 'late', state(some('a', 'b', 'c'), 'other'), { observed_at: '2020-01-01T00:00:00Z' });
  await see(client, 'planned', planOf('b', 'private'));
  expect([await listed(client), await listed(client, 'gone=true')]).toEqual([['a'], ['b', 'c']]);
  await see(client, 'findings', ocsf([{ rule: 'r', resource: arn('b') }]), { observed_at: new Date().toISOString() });
  expect([await listed(client), await listed(client, 'gone=true')]).toEqual([['a', 'b'], ['c']]);
});

it('findings on what is gone still tell it', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state(some('a', 'b')));
  await see(client, 'findings', ocsf([{ rule: 'r', resource: arn('b') }]));
  await see(client, 'two', state(some('a')));
  const query = '{ check_findings(rule_id: ["r"]) { items { asset { resource_uid resource_type gone_at } } } }';
  const { body } = await client.call<{ data: unknown }>('/graphql', { body: { query } });
  expect(body.data).toEqual({
    check_findings: {
      items: [{ asset: { resource_uid: arn('b'), resource_type: 'aws_s3_bucket', gone_at: expect.any(String) as string } }],
    },
  });
});

it('what is gone has no results of rules any more, whatever the run named', async () => {
  const client = await (await world.tenant()).as('analyst');
  const results = async () =>
    (await client.call<{ total: number }>('/api/v1/check/rules/aws.s3.bucket.public_access_block_companion/results')).body.total;
  await see(client, 'one', state(some('a', 'b')));
  expect(await results()).toBe(2);
  await see(client, 'two', state(some('a')));
  expect(await results()).toBe(1);
});

it('a resource that a finding named first is added when it is described', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'findings', ocsf([{ rule: 'r', resource: arn('a') }]));
  await see(client, 'one', state(some('a')));
  expect(await eventsOf(client, 'a')).toEqual(['added one']);
  expect((await summaryOf(client)).last_run).toMatchObject({ scan_run_id: 'one', added: 1 });
});

it('another tenant keeps its own', async () => {
  const [one, two] = await Promise.all([1, 2].map(async () => (await world.tenant()).as('analyst')));
  for (const client of [one!, two!]) await see(client, 'one', state(some('a', 'b')));
  await see(one!, 'two', state(some('a')));
  expect(await listed(two!)).toEqual(['a', 'b']);
  expect(await listed(two!, 'gone=true')).toEqual([]);
});

it('many go at once, and with them the edges that were theirs', async () => {
  const client = await (await world.tenant()).as('analyst');
  const names = Array.from({ length: 450 }, (_, n) => `bucket-${n}`);
  const logging = Object.fromEntries(names.map((name) => [name, { logging: [{ target_bucket: 'logs' }] }]));
  await see(client, 'one', state({ ...logging, ...some('logs') }));
  const edges = async () =>
    (await client.call<{ edges: unknown[] }>(`/api/v1/inventory/asset/${encodeURIComponent(arn('logs'))}/relationships`)).body.edges.length;
  expect(await edges()).toBe(450);
  await see(client, 'two', state(some('logs')));
  expect([await listed(client), await edges()]).toEqual([['logs'], 0]);
  expect(await summaryOf(client)).toMatchObject({ total: 1, last_run: { gone: 450 } });
  await see(client, 'three', state({ ...logging, ...some('logs') }));
  expect([await edges(), (await summaryOf(client)).total]).toEqual([450, 451]);
});

it('of two sources the state goes before the plan, and the later observed before the earlier', async () => {
  const client = await (await world.tenant()).as('analyst');
  const acl = async () => ((await assetOf(client, 'a'))['configuration'] as { acl: string }).acl;
  await see(client, 'planned', planOf('a', 'planned'));
  expect(await acl()).toBe('planned');
  await see(client, 'stated', state({ a: { acl: 'stated' } }));
  expect(await acl()).toBe('stated');
  await see(client, 'planned-again', planOf('a', 'planned again'));
  await see(client, 'stated-before', state({ a: { acl: 'long ago' } }), { observed_at: '2020-01-01T00:00:00Z' });
  expect(await acl()).toBe('stated');
  const disagreed = ['disagreed stated-before', 'disagreed planned-again'];
  expect(await eventsOf(client, 'a')).toEqual([...disagreed, 'changed stated', 'added planned']);
  await see(client, 'planned-once-more', planOf('a', 'planned again'));
  expect((await eventsOf(client, 'a')).length).toBe(4);
  await see(client, 'stated-after', state({ a: { acl: 'now' } }));
  expect(await acl()).toBe('now');
});

describe('between two runs', () => {
  interface Drift {
    added: number;
    changed: number;
    removed: number;
    items: { resource_uid: string; kind: string; paths: { path: string; before: unknown; after: unknown }[] }[];
    total: number;
    has_more: boolean;
  }
  let client: Client;
  const drift = (query: string) => client.call<Drift>(`/api/v1/di/drift?${query}`);
  beforeAll(async () => {
    client = await (await world.tenant()).as('analyst');
    await see(client, 'r1', state({ a: { acl: '1' }, b: {}, c: { acl: 'x' } }), { account_id: 'one' });
    await see(client, 'r2', state({ a: { acl: '2' }, c: { acl: 'y' }, brief: {} }), { account_id: 'one' });
    await see(client, 'r3', state({ a: { acl: '3' }, c: { acl: 'x' }, d: {} }), { account_id: 'one' });
  });

  it('what came, changed and went is told with the values at both ends', async () => {
    const { body } = await drift('from=r1&to=r3');
    expect(body).toMatchObject({ from: 'r1', to: 'r3', added: 1, changed: 1, removed: 1, total: 3, page: 1, has_more: false });
    expect(body.items.map(({ resource_uid, kind }) => `${resource_uid.slice(13)} ${kind}`)).toEqual(['a changed', 'b removed', 'd added']);
    expect(body.items[0]!.paths).toMatchObject([{ path: 'acl', before: '1', after: '3' }]);
    expect((await drift('from=r2&to=r3')).body).toMatchObject({ added: 1, changed: 2, removed: 1 });
    expect((await drift('from=r2&to=r2')).body.items).toEqual([]);
  });

  it('is told page by page and kind by kind, with the numbers of all', async () => {
    const uids = async (query: string) =>
      (await drift(`from=r1&to=r3&${query}`)).body.items.map(({ resource_uid }) => resource_uid.slice(13));
    expect(await Promise.all([1, 2, 3].map((page) => uids(`page_size=1&page=${page}`)))).toEqual([['a'], ['b'], ['d']]);
    expect((await drift('from=r1&to=r3&page_size=2')).body).toMatchObject({ total: 3, has_more: true, added: 1, changed: 1, removed: 1 });
    expect((await drift('from=r1&to=r3&page_size=2&page=2')).body).toMatchObject({ total: 3, has_more: false });
    expect(await uids('kind=removed&kind=added')).toEqual(['b', 'd']);
    expect((await drift('from=r1&to=r3&kind=added')).body).toMatchObject({ total: 1, added: 1, changed: 1, removed: 1 });
    expect((await drift('from=r1&to=r3&page_size=201')).status).toBe(400);
  });

  it('what was away for a while has changed only where it came back as another one', async () => {
    const other = await (await world.tenant()).as('analyst');
    const all = { a: { acl: '1' }, b: { acl: '1' }, c: { acl: '1' } };
    await see(other, 's1', state(all));
    await see(other, 's2', state({ c: { acl: '1' } }));
    await see(other, 's3', state({ ...all, b: { acl: '2' }, e: {} }));
    await see(other, 's4', state({ ...all, b: { acl: '2' } }));
    const between = async (from: string, to: string) =>
      (await other.call<Drift>(`/api/v1/di/drift?from=${from}&to=${to}`)).body.items.map(
        (one) => `${one.resource_uid.slice(13)} ${one.kind}`,
      );
    expect(await between('s1', 's4')).toEqual(['b changed']);
    expect(await between('s2', 's4')).toEqual(['a added', 'b added']);
    expect(await between('s1', 's2')).toEqual(['a removed', 'b removed']);
    expect(await between('s3', 's4')).toEqual(['e removed']);
  });

  it('is told account by account', async () => {
    expect((await drift('from=r1&to=r3&account_id=one')).body.items).toHaveLength(3);
    expect((await drift('from=r1&to=r3&account_id=two')).body.items).toEqual([]);
  });

  it('is refused where there is none', async () => {
    expect((await drift('from=r3&to=r1')).status).toBe(400);
    expect((await drift('from=r1&to=absent')).status).toBe(404);
    expect((await drift('from=r1')).status).toBe(400);
    const other = await (await world.tenant()).as('analyst');
    expect((await other.call('/api/v1/di/drift?from=r1&to=r3')).status).toBe(404);
  });
});

it('discoveries tell where each asset was seen last, and coverage which services of which regions', async () => {
  const client = await (await world.tenant()).as('analyst');
  await see(client, 'one', state(some('a', 'b')), { account_id: 'first', region: 'eu-west-1' });
  await see(client, 'two', ocsf([{ rule: 'r', resource: arn('z'), account: 'second', region: 'us-east-1' }]));
  const { body } = await client.call<{ items: Record<string, unknown>[]; total: number }>('/api/v1/di/discoveries');
  expect(body.items).toMatchObject([
    { resource_uid: arn('a'), scan_run_id: 'one', found_by: 'tfstate', call: 'aws_s3_bucket.a', record: { bucket: 'a' } },
    { resource_uid: arn('b') },
    { resource_uid: arn('z'), scan_run_id: 'two', found_by: 'finding', call: null, record: null },
  ]);
  expect((await client.call<{ total: number }>('/api/v1/di/discoveries?scan_run_id=two')).body.total).toBe(1);
  const coverage = await client.call<{ items: Record<string, unknown>[] }>('/api/v1/di/coverage');
  expect(coverage.body.items).toEqual([
    expect.objectContaining({
      account_id: 'first',
      service: 's3',
      state: 'scanned',
      assets: 2,
      missing_permission: null,
    }),
    expect.objectContaining({ account_id: 'second', region: 'us-east-1', assets: 1 }),
  ]);
  const cells = async (query: string) => (await client.call<{ items: unknown[]; total: number }>(`/api/v1/di/coverage?${query}`)).body;
  for (const query of ['account_id=second', 'region=us-east-1']) expect((await cells(query)).items).toHaveLength(1);
  expect(await cells('page_size=1&page=2')).toMatchObject({ items: [{ account_id: 'second' }], total: 2, page: 2, has_more: false });
  expect(await cells('provider=gcp')).toMatchObject({ items: [], total: 0 });
  const sightings = async (query: string) =>
    (await client.call<{ items: { resource_uid: string }[]; total: number }>(`/api/v1/di/discoveries?${query}`)).body;
  // what a run discovered stays its discovery, whoever sees it again
  await see(client, 'three', state(some('b', 'c')), { account_id: 'first', region: 'eu-west-1' });
  expect(await sightings('discovered_in=one')).toMatchObject({
    items: [{ resource_uid: arn('b'), scan_run_id: 'three', discovered_in: 'one', gone_at: null }],
    total: 1,
  });
  expect(await sightings('discovered_in=two,three')).toMatchObject({ items: [{ resource_uid: arn('c') }, { resource_uid: arn('z') }] });
  expect(await sightings('gone=true')).toMatchObject({
    items: [{ resource_uid: arn('a'), scan_run_id: 'one', record: { bucket: 'a' }, gone_at: expect.any(String) as string }],
    total: 1,
  });
  expect(await sightings('gone=true&scan_run_id=three')).toMatchObject({ items: [], total: 0 });
  await see(client, 'four', state(some('a', 'b')), { account_id: 'first', region: 'eu-west-1' });
  expect(await sightings('gone=true')).toMatchObject({ items: [{ resource_uid: arn('c') }], total: 1 });
  // what is only planned was looked at nowhere
  await see(client, 'planned', planOf('new', 'private'), { account_id: 'third' });
  expect((await cells('')).total).toBe(2);
  expect(await sightings('planned=true')).toMatchObject({ items: [{ resource_uid: arn('new') }], total: 1 });
  expect((await sightings('planned=false')).total).toBe(3);
  expect(await sightings('page_size=1&page=2')).toMatchObject({ items: [{ resource_uid: arn('b') }], total: 4 });
  expect(await sightings('region=us-east-1&provider=aws')).toMatchObject({ items: [{ resource_uid: arn('z') }], total: 1 });
});

it('coverage tells where a run got no answer, with the missing permission, until a later one has seen something there', async () => {
  const client = await (await world.tenant()).as('analyst');
  const answers = (...lines: object[]) => lines.map((line) => JSON.stringify(line)).join('\n');
  const account_id = '111122223333';
  const volumes = { source: 'aws ec2 describe-volumes', region: 'eu-west-1', response: { Volumes: [{ VolumeId: 'vol-1' }] } };
  const refused = (source: string, reason: string) => ({ source, region: 'eu-west-1', not_answered: reason });
  const denied = refused('aws kms list-keys', 'The permission kms:ListKeys is missing: AWS answered AccessDenied');
  const failed = refused('aws sqs list-queues', 'AWS answered InternalFailure');
  const run = await client.import(answers(volumes, denied, failed), { format: 'cloud_api_responses', account_id });
  expect(run).toMatchObject({ state: 'PARTIAL' });
  const cells = async (query = '') => {
    const { body } = await client.call<{ items: Record<string, unknown>[]; total: number }>(`/api/v1/di/coverage?${query}`);
    expect(body.total).toBe(body.items.length);
    return body.items.map(({ service, state, missing_permission, assets }) => ({ service, state, missing_permission, assets }));
  };
  const gap = { service: 'kms', state: 'denied', missing_permission: 'kms:ListKeys', assets: 0 };
  expect(await cells()).toEqual([
    { service: 'ebs', state: 'scanned', missing_permission: null, assets: 1 },
    gap,
    { service: 'sqs', state: 'failed', missing_permission: null, assets: 0 },
  ]);
  expect(await cells('state=denied')).toEqual([gap]);
  // what was left out on purpose makes no run incomplete, and says so; what is missing there weighs more
  const skipped = (source: string) => ({ source, region: 'eu-west-1', skipped: 'The region eu-west-1 is not enabled.' });
  const left = await client.import(answers(volumes, skipped('aws iot list-policies'), skipped('aws kms list-keys'), denied), {
    ...{ format: 'cloud_api_responses', account_id },
  });
  expect(left).toMatchObject({ state: 'PARTIAL', errors: [{ reason: denied.not_answered }] });
  expect(await cells('state=skipped')).toEqual([{ service: 'iot', state: 'skipped', missing_permission: null, assets: 0 }]);
  expect(
    await client.import(answers(volumes, skipped('aws iot list-policies')), { format: 'cloud_api_responses', account_id }),
  ).toMatchObject({
    ...{ state: 'COMPLETED', errors: [] },
  });
  expect(await cells('state=denied&region=us-east-1')).toEqual([]);
  const keys = { source: 'aws kms list-keys', region: 'eu-west-1', response: { Keys: [{ KeyId: 'k1' }] } };
  const key = {
    source: 'aws kms describe-key --key-id k1',
    region: 'eu-west-1',
    response: { KeyMetadata: { KeyId: 'k1', KeyManager: 'CUSTOMER' } },
  };
  await client.import(answers(keys, key), { format: 'cloud_api_responses', account_id });
  expect(await cells('state=denied')).toEqual([]);
});
