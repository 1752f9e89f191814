import { Random } from '../../bench/random.js';
import { startCluster, type Cluster, type ClusterObject } from '../support/cluster.js';
import { until } from '../support/stand-in.js';
import { openServers, type Client, type ImportedRun, type ServersWorld } from '../support/world.js';

// Runs of a cluster whose parts are answered, denied or broken by chance, and one whose calls hang when it is cancelled.
let world: ServersWorld;
let owner: Client;
let client: Client;
let cluster: Cluster;
beforeAll(async () => void (world = await openServers('pair')));
beforeEach(async () => {
  const tenant = await world.tenant();
  [owner, client] = [await tenant.as('org_admin'), await tenant.as('analyst')];
  cluster = await startCluster({ namespaces: [{ metadata: { name: 'shop' } }], pods: [], deployments: [] });
});
afterEach(() => cluster.close());
afterAll(() => world.close());

const pod = (name: string, privileged: boolean): ClusterObject => ({
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'registry.example/shop:1', securityContext: { privileged } }] },
});
const deployment = (name: string, privileged: boolean): ClusterObject => ({
  metadata: { name, namespace: 'shop' },
  spec: { template: pod(name, privileged) },
});
const PARTS = { pods: pod, deployments: deployment } as const;
type Part = keyof typeof PARTS;

async function connect(account_id: string): Promise<void> {
  const secret = { server: cluster.url, ca_certificate: cluster.authority, token: cluster.token };
  const { status } = await owner.call('/api/v1/cloud-accounts', { body: { provider: 'k8s', account_id, connection: { secret } } });
  expect(status).toBe(201);
}
async function start(account_id: string, scan_run_id: string): Promise<void> {
  const { status, text } = await client.call('/api/v1/scans', { body: { account_id, scan_run_id } });
  expect([status, text]).toEqual([202, expect.any(String)]);
}
async function openFindings(): Promise<string[]> {
  const query = '/api/v1/container-security/findings?status=OPEN&page_size=200';
  const { body } = await client.call<{ items: { rule_id: string; resource_name: string }[] }>(query);
  return body.items
    .filter(({ rule_id }) => rule_id.includes('privileged'))
    .map(({ resource_name }) => resource_name)
    .sort();
}
async function workloads(): Promise<string[]> {
  const { body } = await client.call<{ items: { resource_name: string; resource_type: string }[] }>(
    '/api/v1/inventory/assets?page_size=200',
  );
  return body.items
    .filter(({ resource_type }) => resource_type !== 'kubernetes_namespace')
    .map(({ resource_name }) => resource_name)
    .sort();
}

it.each([1, 2, 3])('what a part has told whole is what there is, and of others all stays as it was (seed %i)', async (seed) => {
  await connect('prod');
  const random = new Random(seed);
  /** What is known of each part: name -> whether it is privileged. */
  const known: Record<Part, Map<string, boolean>> = { pods: new Map(), deployments: new Map() };
  for (let round = 0; round < 6; round++) {
    const outcomes = {} as Record<Part, 'told' | 'denied' | 'broken'>;
    cluster.denied.clear();
    for (const part of ['pods', 'deployments'] as const) {
      const there = Array.from({ length: 5 }, (_, n) => `${part}-${n}`).filter(() => random.next() < 0.6);
      const now = new Map(there.map((name) => [name, random.next() < 0.5]));
      cluster.objects[part] = [...now].map(([name, privileged]) => PARTS[part](name, privileged));
      outcomes[part] = (['told', 'denied', 'broken'] as const)[round === 0 ? 0 : random.below(3)]!;
      if (outcomes[part] === 'told') known[part] = now;
      if (outcomes[part] === 'denied') cluster.denied.add(part);
    }
    cluster.before = (resource, _, response) => {
      if (outcomes[resource as Part] !== 'broken') return false;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[{"metadata"');
      return true;
    };
    await start('prod', `round-${round}`);
    const isWhole = Object.values(outcomes).every((outcome) => outcome === 'told');
    expect(await client.finished(`round-${round}`)).toMatchObject({ state: isWhole ? 'COMPLETED' : 'PARTIAL' });
    const all = [...known.pods, ...known.deployments];
    expect([round, outcomes, await workloads()]).toEqual([round, outcomes, all.map(([name]) => name).sort()]);
    const privileged = all.flatMap(([name, isPrivileged]) => (isPrivileged ? [name] : [])).sort();
    expect([round, outcomes, await openFindings()]).toEqual([round, outcomes, privileged]);
  }
});

it('runs whose calls hang are cancelled: the calls end, and nothing is resolved', async () => {
  const ACCOUNTS = Array.from({ length: 4 }, (_, n) => `prod-${n}`);
  cluster.objects['pods'] = [pod('web', true)];
  for (const account of ACCOUNTS) await connect(account);
  await start(ACCOUNTS[0]!, 'whole');
  expect(await client.finished('whole')).toMatchObject({ state: 'COMPLETED' });
  expect(await openFindings()).toEqual(['web']);
  let [hanging, ended] = [0, 0];
  cluster.objects['pods'] = [];
  cluster.before = async (resource, _, response) => {
    if (resource === 'namespaces') return false;
    hanging++;
    response.on('close', () => void ended++);
    return true;
  };
  for (const account of ACCOUNTS) await start(account, `of-${account}`);
  await until('a call hangs', async () => hanging > 0);
  for (const account of ACCOUNTS)
    expect((await client.call(`/api/v1/scan-runs/of-${account}/cancel`, { method: 'POST' })).status).toBe(200);
  for (const account of ACCOUNTS) {
    const run = (await client.finished(`of-${account}`)) as ImportedRun;
    expect(run).toMatchObject({ state: 'CANCELLED', counts: { resolved: 0 } });
  }
  await until('the calls have ended', async () => ended === hanging);
  expect(await openFindings()).toEqual(['web']);
});
