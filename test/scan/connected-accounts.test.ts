import { randomUUID } from 'node:crypto';
import { schedules } from '../../subgraphs/scans/schedules/records.js';
import { customKind, startCluster, type Cluster, type ClusterObject } from '../support/cluster.js';
import { until } from '../support/stand-in.js';
import { openServers, type Client, type ImportedRun, type ServersWorld, type TestTenant } from '../support/world.js';

// Scans of a cluster whose API server is one of the test's, as clients see them. The servers may call loopback.
let world: ServersWorld;
let tenant: TestTenant;
let owner: Client;
let client: Client;
let cluster: Cluster;
beforeAll(async () => {
  world = await openServers('pair');
});
beforeEach(async () => {
  tenant = await world.tenant();
  owner = await tenant.as('org_admin');
  client = await tenant.as('analyst');
  cluster = await startCluster({
    namespaces: [{ metadata: { name: 'shop' } }],
    pods: [pod('web', true), pod('cron', false)],
    deployments: [],
  });
});
afterEach(() => cluster.close());
afterAll(() => world.close());

const ACCOUNT = 'prod-eu';
const pod = (name: string, privileged: boolean): ClusterObject => ({
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'registry.example/shop:1', securityContext: { privileged } }] },
});
const connect = async (account_id = ACCOUNT, by = owner, token = cluster.token) => {
  const secret = { server: cluster.url, ca_certificate: cluster.authority, token };
  const answer = await by.call('/api/v1/cloud-accounts', { body: { provider: 'k8s', account_id, connection: { secret } } });
  expect(answer.status).toBe(201);
};
interface Started {
  scan_run_id: string;
  account_id: string;
  provider: string;
}
interface Run extends ImportedRun {
  scan_id: string;
  queued_behind: string | null;
  trigger: string;
  stages: { stage: string; state: string }[];
}
const start = (body: object, by = client) =>
  by.call<Started & { detail: unknown; error_code: string; message: string }>('/api/v1/scans', { body });
const runOf = async (id: string) => (await client.call<Run>(`/api/v1/scan-runs/${id}`)).body;
const scanned = async (body: object = {}): Promise<Run> => {
  const answer = await start({ account_id: ACCOUNT, ...body });
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  return (await client.finished(answer.body.scan_run_id)) as Run;
};
/** The privileged containers that are open findings, by the name of their pod. */
const privileged = async (status = 'OPEN') => {
  const query = `/api/v1/container-security/findings?status=${status}&page_size=200`;
  const { body } = await client.call<{ items: { title: string; rule_id: string; resource_name: string }[] }>(query);
  return body.items.filter(({ rule_id }) => rule_id.includes('privileged')).map(({ resource_name }) => resource_name);
};
const assetsOf = async () => {
  const { body } = await client.call<{ items: { resource_name: string; resource_type: string; account_id: string }[] }>(
    '/api/v1/inventory/assets?page_size=200',
  );
  return body.items.map(({ resource_type, resource_name }) => `${resource_type} ${resource_name}`).sort();
};

it('takes in what the account has, judges it, and resolves what is fixed or gone by the next run', async () => {
  await connect();
  const first = await scanned({ scan_run_id: 'first' });
  expect(first).toMatchObject({ state: 'COMPLETED', trigger: 'manual', errors: [], queued_behind: null });
  expect(await assetsOf()).toEqual(['kubernetes_namespace shop', 'kubernetes_pod cron', 'kubernetes_pod web']);
  expect(new Set(await privileged())).toEqual(new Set(['web']));
  const account = await owner.call<{ last_scan_at: string | null }>(`/api/v1/cloud-accounts/${ACCOUNT}`);
  expect(account.body.last_scan_at).not.toBeNull();

  cluster.objects['pods'] = [pod('web', false), pod('late', true)];
  expect(await scanned({ scan_run_id: 'second' })).toMatchObject({ state: 'COMPLETED' });
  expect(await assetsOf()).toEqual(['kubernetes_namespace shop', 'kubernetes_pod late', 'kubernetes_pod web']);
  expect(new Set(await privileged())).toEqual(new Set(['late']));
  expect(new Set(await privileged('RESOLVED'))).toEqual(new Set(['web']));

  // what is gone is judged no more: nothing of it stays open
  cluster.objects['pods'] = [pod('web', false)];
  await scanned({ scan_run_id: 'third' });
  expect(await privileged()).toEqual([]);
  const { body } = await client.call<{ items: { scan_id: string; last_run: Started; scope: object }[]; total: number }>('/api/v1/scans');
  expect(body).toMatchObject({ total: 1, items: [{ last_run: { scan_run_id: 'third', account_id: ACCOUNT }, next_run_at: null }] });
  expect((await client.call<object>(`/api/v1/scans/${first.scan_id}`)).body).toEqual(body.items[0]);
});

it('is the same run for the same id, and a conflict for another scope', async () => {
  await connect();
  await scanned({ scan_run_id: 'once' });
  const asked = cluster.asked.length;
  const again = await start({ account_id: ACCOUNT, scan_run_id: 'once' });
  expect([again.status, again.body.scan_run_id]).toEqual([202, 'once']);
  expect(cluster.asked.length).toBe(asked);
  expect((await start({ account_id: ACCOUNT, scan_run_id: 'once', services: ['core'] })).status).toBe(409);
});

it('is PARTIAL where the connection may not ask, resolves what is fixed or gone in what was told whole, and is complete when it is run again', async () => {
  await connect();
  cluster.objects['pods'] = [pod('web', true), pod('late', true)];
  cluster.objects['deployments'] = [{ metadata: { name: 'shop', namespace: 'shop' }, spec: { template: pod('shop', true) } }];
  await scanned();
  expect(new Set(await privileged())).toEqual(new Set(['web', 'late', 'shop']));
  // two are gone, of which it may see one
  cluster.objects['pods'] = [pod('web', false)];
  cluster.objects['deployments'] = [];
  cluster.denied.add('deployments');
  const partial = await scanned({ scan_run_id: 'partial' });
  const errors = [{ reason: 'apps/deployments: the permission is missing' }];
  expect(partial).toMatchObject({ state: 'PARTIAL', errors, counts: { skipped: 1 } });
  expect(new Set(await privileged())).toEqual(new Set(['shop']));
  expect(await assetsOf()).toEqual(['kubernetes_deployment shop', 'kubernetes_namespace shop', 'kubernetes_pod web']);
  cluster.denied.clear();
  expect((await client.call('/api/v1/scan-runs/partial/retry', { method: 'POST' })).status).toBe(202);
  expect(await client.finished('partial')).toMatchObject({ state: 'COMPLETED', errors: [] });
  expect(await privileged()).toEqual([]);
  expect(await assetsOf()).toEqual(['kubernetes_namespace shop', 'kubernetes_pod web']);
});

it('is complete where something was skipped, tells why, and ends nothing there', async () => {
  await connect();
  cluster.objects['customresourcedefinitions'] = [customKind('widgets', 'Widget')];
  cluster.objects['widgets'] = [{ metadata: { name: 'w', namespace: 'shop' } }];
  await scanned();
  const all = await assetsOf();
  expect(all).toContain('kubernetes_widget w');
  cluster.denied.add('widgets');
  cluster.objects['pods'] = [pod('web', false)];
  expect(await scanned({ scan_run_id: 'skipped' })).toMatchObject({ state: 'COMPLETED', errors: [] });
  // the pod is gone, the widget may be there
  expect(await assetsOf()).toEqual(all.filter((name) => name !== 'kubernetes_pod cron'));
  expect(await privileged()).toEqual([]);
  const { body } = await client.call<{ items: object[] }>('/api/v1/di/coverage?state=skipped');
  expect(body.items).toMatchObject([
    {
      service: 'Widget',
      account_id: ACCOUNT,
      reason: expect.stringContaining('shop.example/widgets: the permission is missing') as string,
    },
  ]);
});

it('tells why an account cannot be asked', async () => {
  await connect(ACCOUNT, owner, 'a token that is not taken');
  expect(await scanned()).toMatchObject({ state: 'FAILED', errors: [{ reason: 'The cluster does not take the token.' }] });
});

it('waits behind the run that is at work, or is refused, and begins when that one ends or is cancelled', async () => {
  await connect();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  cluster.before = () => held;
  for (const scan_run_id of ['one', 'two', 'three']) expect((await start({ account_id: ACCOUNT, scan_run_id })).status).toBe(202);
  await until('the first run asks', () => cluster.asked.length > 0);
  expect(await Promise.all(['one', 'two', 'three'].map(async (id) => (await runOf(id)).queued_behind))).toEqual([null, 'one', 'two']);
  const refused = await start({ account_id: ACCOUNT, if_running: 'refuse' });
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('The scan is at work')]);
  // another scan of the same account is not held up
  expect((await start({ account_id: ACCOUNT, scan_run_id: 'other', services: ['batch'], if_running: 'refuse' })).status).toBe(202);
  expect((await client.call('/api/v1/scan-runs/two/cancel', { method: 'POST' })).status).toBe(200);
  const before = Date.now();
  expect((await client.call('/api/v1/scan-runs/one/cancel', { method: 'POST' })).status).toBe(200);
  expect(await client.finished('one')).toMatchObject({ state: 'CANCELLED' });
  expect(Date.now() - before).toBeLessThan(60_000);
  release();
  expect(await client.finished('three')).toMatchObject({ state: 'COMPLETED' });
  expect(await runOf('two')).toMatchObject({ state: 'CANCELLED' });
});

it('takes in findings of the engines that are asked for alone', async () => {
  await connect();
  await scanned({ engines: ['check'] });
  expect(await privileged()).toEqual([]);
  expect(await assetsOf()).toContain('kubernetes_pod web');
  const wrong = await start({ account_id: ACCOUNT, engines: ['nothing'] });
  expect([wrong.status, wrong.body.detail]).toEqual([422, [{ path: 'engines.0', message: 'is no engine that holds findings' }]]);
});

it("knows no account of another tenant's, none that is paused or disconnected, and none beyond what is scanned of it", async () => {
  const theirs = await world.tenant();
  await connect('theirs', await theirs.as('org_admin'));
  const [foreign, absent] = [await start({ account_id: 'theirs' }), await start({ account_id: 'absent' })];
  expect([foreign.status, foreign.text]).toEqual([422, absent.text]);
  await connect();
  const change = (body: object) => owner.call(`/api/v1/cloud-accounts/${ACCOUNT}`, { method: 'PATCH', body });
  await change({ scope: { services: ['core'] } });
  expect((await start({ account_id: ACCOUNT, services: ['apps'] })).body.detail).toEqual([
    { path: 'services.0', message: 'lies outside of what the account is scanned for' },
  ]);
  await change({ state: 'paused' });
  expect((await start({ account_id: ACCOUNT })).body.detail).toEqual([{ path: 'account_id', message: 'is paused' }]);
  expect((await start({ account_id: ACCOUNT }, await tenant.as('viewer'))).status).toBe(403);
});

describe('a schedule', () => {
  interface Schedule {
    schedule_id: string;
    scan_id: string;
    next_run_at: string | null;
    paused_reason: string | null;
    last_run: Started | null;
    enabled: boolean;
    detail: { path: string; message: string }[];
  }
  const body = { name: 'Nightly', cron: '30 2 * * *', time_zone: 'Europe/Berlin', scope: { account_id: ACCOUNT } };
  const create = (more: object = {}) => client.call<Schedule>('/api/v1/schedules', { body: { ...body, ...more } });
  const find = async (id: string) =>
    (await client.call<{ items: Schedule[] }>('/api/v1/schedules')).body.items.find(({ schedule_id }) => schedule_id === id)!;
  /** Lets its time come. */
  const fire = async (id: string, at = new Date(Date.now() - 1_000)) => {
    const rows = world.database.tenant(tenant.tenant._id).collection(schedules);
    await rows.update({ schedule_id: id }, { $set: { next_run_at: at, due_at: at } });
  };

  it('starts the scan once for each firing, with the rights that its owner has then', async () => {
    await connect();
    const made = await create();
    expect([made.status, made.body]).toMatchObject([201, { enabled: true, last_run: null, paused_reason: null }]);
    expect(new Date(made.body.next_run_at!).getTime()).toBeGreaterThan(Date.now());
    expect((await client.call<{ next_run_at: string }>(`/api/v1/scans/${made.body.scan_id}`)).body.next_run_at).toBe(made.body.next_run_at);
    const { schedule_id } = made.body;
    await fire(schedule_id);
    const { last_run } = await until('a run', async () => {
      const one = await find(schedule_id);
      return one.last_run && one;
    });
    expect(await client.finished(last_run!.scan_run_id)).toMatchObject({ state: 'COMPLETED', trigger: 'schedule' });
    const { next_run_at } = await find(schedule_id);
    expect(new Date(next_run_at!).getTime()).toBeGreaterThan(Date.now());
    const runs = await client.call<{ total: number }>('/api/v1/scan-runs');
    expect(runs.body.total).toBe(1);

    expect((await owner.call(`/api/v1/users/${client.user!._id}/role`, { method: 'PATCH', body: { role: 'viewer' } })).status).toBe(200);
    await fire(schedule_id);
    const paused = await until('the pause', async () => {
      const one = await find(schedule_id);
      return one.paused_reason !== null && one;
    });
    expect(paused).toMatchObject({ paused_reason: expect.stringContaining('scans:create') as string, next_run_at: null });
  });

  it('is paused, changed and deleted, and its runs stay', async () => {
    await connect();
    const { schedule_id, scan_id } = (await create()).body;
    const change = (more: object) => client.call<Schedule>(`/api/v1/schedules/${schedule_id}`, { method: 'PATCH', body: more });
    expect((await change({ enabled: false })).body).toMatchObject({ enabled: false, next_run_at: null });
    expect((await change({ enabled: true, cron: '@weekly', scope: { account_id: ACCOUNT, services: ['core'] } })).body).toMatchObject({
      enabled: true,
      cron: '@weekly',
      scope: { services: ['core'] },
    });
    expect((await find(schedule_id)).scan_id).not.toBe(scan_id);
    expect((await client.call(`/api/v1/schedules/${schedule_id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await find(schedule_id)).toBeUndefined();
    expect((await client.call(`/api/v1/schedules/${schedule_id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await client.call(`/api/v1/schedules/${randomUUID()}`, { method: 'PATCH', body: { name: 'x' } })).status).toBe(404);
  });

  it('refuses times that never come or come too often, a zone that does not exist, and an account that is not connected', async () => {
    await connect();
    const detail = async (more: object) => {
      const { status, body: answer } = await create(more);
      expect(status).toBe(422);
      return answer.detail;
    };
    expect(await detail({ cron: '0 0 30 2 *' })).toEqual([{ path: 'cron', message: 'names a time that never comes' }]);
    expect(await detail({ cron: '* * * * *' })).toEqual([{ path: 'cron', message: 'must leave 15 minutes between two firings' }]);
    expect(await detail({ time_zone: 'Europe/Atlantis' })).toMatchObject([{ path: 'time_zone' }]);
    expect(await detail({ scope: { account_id: 'absent' } })).toEqual([
      { path: 'account_id', message: 'is not an account that is connected' },
    ]);
  });
});
