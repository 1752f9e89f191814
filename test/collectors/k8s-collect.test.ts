import { readFileSync } from 'node:fs';
import { createK8sCollector } from '../../collectors/k8s/collector.js';
import { kindOf } from '../../collectors/k8s/paths.js';
import { K8S_CALLS } from '../../collectors/k8s/calls.js';
import { ConnectionRefused, type CollectedRecord, type Target, type ToldWhole } from '../../collectors/types.js';
import { openReport } from '../../importers/index.js';
import { systemClock } from '../../kit/base/clock.js';
import { createOutbound } from '../../kit/outbound/outbound.js';
import { customKind, startCluster, type Cluster } from '../support/cluster.js';
import { bufferSource } from '../../importers/readers/source.js';

const outbound = createOutbound(['127.0.0.0/8']);
const pod = (n: number) => ({
  metadata: { name: `pod-${n}`, namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] },
});

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster(
    {
      namespaces: [{ metadata: { name: 'shop' } }],
      pods: [1, 2, 3, 4, 5].map(pod),
      configmaps: [{ metadata: { name: 'settings', namespace: 'shop' }, data: { password: 'correct horse' } }],
    },
    2,
  );
});
afterEach(() => cluster.close());
afterAll(() => outbound.close());

const targetOf = (values: Partial<Record<'server' | 'ca_certificate' | 'token', string>> = {}, services: string[] = []): Target => ({
  ...{ provider: 'k8s', account_id: 'prod-eu', regions: [], services },
  connection: {
    method: 'secret',
    values: { server: cluster.url, ca_certificate: cluster.authority, token: cluster.token, ...values },
    external_id: null,
  },
});
async function collect(target = targetOf(), signal = new AbortController().signal, guard = outbound): Promise<CollectedRecord[]> {
  const told: CollectedRecord[] = [];
  for await (const one of createK8sCollector({ outbound: guard, clock: systemClock }).collect!(target, signal)) told.push(one);
  return told;
}
const refusedOf = (told: readonly CollectedRecord[]) => told.flatMap((one) => ('not_answered' in one ? one.not_answered : []));

it('asks for every kind of the table, page by page, and what it records is read as objects of the cluster', async () => {
  const told = await collect();
  expect(refusedOf(told)).toEqual([]);
  const kinds = K8S_CALLS.flatMap(({ permissions }) => permissions.map((permission) => permission.split('/')[1]));
  expect([...new Set(cluster.asked.map(({ resource }) => resource))].sort()).toEqual([...kinds].sort());
  expect(cluster.asked.filter(({ resource }) => resource === 'pods').map(({ query }) => query)).toEqual([
    'limit=500',
    'limit=500&continue=2',
    'limit=500&continue=4',
  ]);
  const report = await openReport(bufferSource(Buffer.from(told.map((one) => JSON.stringify(one)).join('\n'))), 'cloud_api_responses');
  const names: string[] = [];
  for await (const item of report.read({ account_id: 'prod-eu' })) {
    expect(item.kind).not.toBe('broken');
    if (item.kind === 'asset') names.push(`${item.asset.account_id} ${item.asset.resource_type} ${item.asset.resource_name}`);
  }
  expect(names.filter((name) => name.includes('pod'))).toHaveLength(5);
  expect(names).toContain('prod-eu kubernetes_config_map settings');
});

it('never asks for the contents of config maps', async () => {
  expect(JSON.stringify(await collect())).not.toContain('correct horse');
  expect(cluster.asked.find(({ resource }) => resource === 'configmaps')!.accept).toContain('PartialObjectMetadataList');
});

it('lists the objects of custom kinds by their names, in the version that is stored, and says what it was not granted', async () => {
  cluster.objects['customresourcedefinitions'] = [customKind('widgets', 'Widget'), customKind('gadgets', 'Gadget')];
  cluster.objects['widgets'] = [1, 2, 3].map((n) => ({
    metadata: { name: `w-${n}`, namespace: 'shop' },
    spec: { password: 'battery staple' },
  }));
  cluster.denied.add('gadgets');
  const told = await collect();
  expect([refusedOf(told), JSON.stringify(told).includes('battery staple')]).toEqual([[], false]);
  const { whole } = told.at(-1) as ToldWhole;
  expect([whole.includes('shop.example/widgets'), whole.includes('shop.example/gadgets')]).toEqual([true, false]);
  const report = await openReport(bufferSource(Buffer.from(told.map((one) => JSON.stringify(one)).join('\n'))), 'cloud_api_responses');
  const seen: string[] = [];
  for await (const item of report.read({ account_id: 'prod-eu' })) {
    if (item.kind === 'asset' && item.asset.resource_type === 'kubernetes_widget') seen.push(item.asset.resource_name ?? '');
    if (item.kind === 'skipped') seen.push(`${item.place.service}: ${item.reason}`);
    expect(item.kind).not.toBe('unanswered');
  }
  expect(seen).toEqual([
    ...['w-1', 'w-2', 'w-3'],
    "Gadget: shop.example/gadgets: the permission is missing, and the template does not grant it: a role of one's own may.",
  ]);
});

it('names what it may not list, and goes on with the rest', async () => {
  cluster.denied.add('deployments');
  const told = await collect();
  expect(refusedOf(told)).toEqual(['apps/deployments: the permission is missing']);
  expect(JSON.stringify(told)).toContain('pod-5');
  const { whole } = told.at(-1) as ToldWhole;
  expect(whole).toContain('/pods');
  expect(whole).not.toContain('apps/deployments');
});

it('leaves open what stands beside objects where that may not be listed', async () => {
  cluster.denied.add('networkpolicies');
  const lines = (await collect()).map((one) => JSON.stringify(one)).join('\n');
  const report = await openReport(bufferSource(Buffer.from(lines)), 'cloud_api_responses');
  const open: unknown[] = [];
  const unanswered: string[] = [];
  for await (const item of report.read({ account_id: 'prod-eu' })) {
    if (item.kind === 'asset') open.push(item.asset.unknown_paths);
    if (item.kind === 'unanswered') unanswered.push(item.reason);
  }
  expect(new Set(open.map((types) => JSON.stringify(types)))).toEqual(new Set(['["kubernetes_network_policy"]']));
  expect(unanswered).toEqual(['networking.k8s.io/networkpolicies: the permission is missing']);
});

it('knows the kind of every resource that it asks for', () => {
  for (const permission of K8S_CALLS.flatMap(({ permissions }) => permissions)) {
    const plural = kindOf(permission).toLowerCase().replace(/y$/, 'ie').replace(/ss$/, 'sse');
    expect(`${plural}s`).toBe(permission.split('/')[1]);
  }
});

it('goes on with a list that has grown old where it was, and tells each object once', async () => {
  let isOld = true;
  cluster.before = (resource, query, response) => {
    if (resource !== 'pods' || query.get('continue') !== '2' || !isOld) return;
    isOld = false;
    response
      .writeHead(410, { 'content-type': 'application/json' })
      .end(JSON.stringify({ kind: 'Status', code: 410, metadata: { continue: '02' } }));
    return true;
  };
  const names = JSON.stringify(await collect()).match(/pod-\d/g)!;
  expect(names.sort()).toEqual(['pod-1', 'pod-2', 'pod-3', 'pod-4', 'pod-5']);
});

it('asks again when the cluster is busy', async () => {
  let busy = 2;
  cluster.before = (resource, _query, response) => {
    if (resource !== 'pods' || busy-- <= 0) return;
    response.writeHead(429, { 'retry-after': '0' }).end();
    return true;
  };
  expect(refusedOf(await collect(targetOf({}, ['core'])))).toEqual([]);
});

it('ends with a cluster that repeats a page for ever', async () => {
  cluster.before = (resource, _query, response) => {
    if (resource !== 'deployments') return;
    response.end(JSON.stringify({ kind: 'DeploymentList', apiVersion: 'apps/v1', metadata: { continue: 'again' }, items: [] }));
    return true;
  };
  expect(refusedOf(await collect(targetOf({}, ['apps'])))).toEqual([
    expect.stringMatching(/^apps\/deployments: the cluster gives more than \d+ pages$/),
  ]);
});

it('refuses a token that the cluster does not take, an authority that is another one, and an address that may not be called', async () => {
  await expect(collect(targetOf({ token: 'another-token' }))).rejects.toEqual(
    new ConnectionRefused('The cluster does not take the token.'),
  );
  const other = readFileSync('test/fixtures/tls/other-authority.pem', 'utf8');
  await expect(collect(targetOf({ ca_certificate: other }))).rejects.toThrow(ConnectionRefused);
  const guard = createOutbound();
  await expect(collect(targetOf(), undefined, guard)).rejects.toThrow(/^The cluster cannot be reached: The target lies in a network/);
  await guard.close();
}, 120_000);

it('stops in the middle of a call', async () => {
  const stop = new AbortController();
  cluster.before = (resource) => (resource === 'pods' ? (stop.abort(new Error('stopped')), new Promise(() => undefined)) : undefined);
  await expect(collect(targetOf(), stop.signal)).rejects.toThrow('stopped');
});

it('tries each service by its first kind', async () => {
  cluster.denied.add('deployments');
  const tried = [];
  const collector = createK8sCollector({ outbound, clock: systemClock });
  for await (const one of collector.tryOut(targetOf(), new AbortController().signal)) tried.push(one);
  expect(tried.map(({ service }) => service)).toEqual(K8S_CALLS.map(({ service }) => service));
  expect(tried.filter(({ granted }) => !granted).map(({ permission }) => permission)).toEqual(['apps/deployments']);
});
