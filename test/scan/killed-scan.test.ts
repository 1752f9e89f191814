import { jobs } from '../../kit/work/jobs.js';
import { customKind, startCluster, type Cluster, type ClusterObject } from '../support/cluster.js';
import { openProcesses, type OwnWorld } from '../support/own-world.js';
import type { TestProcess } from '../support/process.js';
import { until } from '../support/stand-in.js';
import type { Client } from '../support/world.js';

// A scan of at least 60 parts whose worker is killed, or frozen beyond its lease, at moments of chance: the stores are those of a scan that nobody disturbed.
// SCAN_KILLS=200 runs it as often as that; a few times are enough from one change to the next.
const KILLS = Number(process.env['SCAN_KILLS'] ?? 3);
const CUSTOM = 40;

let world: OwnWorld<TestProcess>;
let cluster: Cluster;
let wanted: Stores;
let parts: number;
beforeAll(async () => {
  world = await openProcesses({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  cluster = await startCluster({ ...objects() });
  const client = await connected('undisturbed');
  await scan(client, 'undisturbed');
  expect(await client.finished('undisturbed')).toMatchObject({ state: 'COMPLETED' });
  parts = cluster.asked.length;
  wanted = await storesOf(client);
});
afterAll(async () => {
  await world.close();
  await cluster.close();
});

const plural = (n: number): string => `${String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))}widgets`;
function objects(): Record<string, ClusterObject[]> {
  const pods = Array.from({ length: 60 }, (_, n) => ({
    metadata: { name: `pod-${n}`, namespace: 'shop' },
    spec: { containers: [{ name: 'c', image: 'registry.example/shop:1', securityContext: { privileged: n % 3 === 0 } }] },
  }));
  const kinds = Array.from({ length: CUSTOM }, (_, n) => plural(n));
  return {
    namespaces: [{ metadata: { name: 'shop' } }],
    ...{ pods, customresourcedefinitions: kinds.map((name) => customKind(name, name[0]!.toUpperCase() + name.slice(1, -1))) },
    ...Object.fromEntries(kinds.map((name) => [name, [{ metadata: { name: `of-${name}`, namespace: 'shop' } }]])),
  };
}

async function connected(account_id: string): Promise<Client> {
  const tenant = await world.tenant();
  const secret = { server: cluster.url, ca_certificate: cluster.authority, token: cluster.token };
  const body = { provider: 'k8s', account_id: 'prod', name: account_id, connection: { secret } };
  const last = world.servers.length - 1;
  expect((await world.at(await tenant.as('org_admin'), last).call('/api/v1/cloud-accounts', { body })).status).toBe(201);
  return world.at(await tenant.as('analyst'), last);
}
const scan = async (client: Client, scan_run_id: string) =>
  expect((await client.call('/api/v1/scans', { body: { account_id: 'prod', scan_run_id } })).status).toBe(202);

interface Stores {
  assets: string[];
  findings: string[];
  changes: Record<string, number>;
}
/** What there is after a scan, but for its times and ids. */
async function storesOf(client: Client): Promise<Stores> {
  const all = async (path: string): Promise<Record<string, unknown>[]> => {
    const items: Record<string, unknown>[] = [];
    for (let page = 1; items.length === (page - 1) * 200; page++)
      items.push(...(await client.call<{ items: Record<string, unknown>[] }>(`${path}page_size=200&page=${page}`)).body.items);
    return items;
  };
  const assets = (await all('/api/v1/inventory/assets?')).map(({ resource_uid, config_hash }) =>
    JSON.stringify([resource_uid, config_hash]),
  );
  const findings = (await all('/api/v1/container-security/findings?')).map(({ resource_uid, rule_id, status, severity, title }) =>
    JSON.stringify([resource_uid, rule_id, status, severity, title]),
  );
  const { body } = await client.call<{ total: number }>('/api/v1/inventory/summary');
  return { assets: assets.sort(), findings: findings.sort(), changes: { total: body.total } };
}

/** As if the time of the leases had gone by. */
const endLeases = () => world.database.system(jobs).updateMany({ leased_by: { $ne: null } }, { $set: { leased_until: new Date(0) } });

/** Starts a scan, and stops the answers of the cluster for as long as it takes to disturb the worker at the `moment`-th question. */
async function disturbed(client: Client, id: string, moment: number, disturb: () => Promise<unknown>): Promise<void> {
  let reached = false;
  let seen = 0;
  cluster.before = () => void (reached ||= ++seen >= moment);
  await scan(client, id);
  // past the last question it writes: some way into that
  await until('the moment comes', () => reached || seen >= parts);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_500));
  await disturb();
  cluster.before = () => undefined;
}

it('has at least 60 parts', () => {
  expect(parts).toBeGreaterThanOrEqual(60);
  expect(wanted.assets.length).toBeGreaterThanOrEqual(100);
  expect(wanted.findings.length).toBeGreaterThan(60);
});

it.each(Array.from({ length: KILLS }, (_, n) => n + 1))(
  'killed at a moment of chance, the %ith time, leaves the stores of an undisturbed one',
  async (n) => {
    const client = await connected(`killed ${n}`);
    const moment = 1 + Math.floor(Math.random() * parts);
    await disturbed(client, 'killed', moment, () => world.servers.at(-1)!.end('SIGKILL'));
    await endLeases();
    await world.start();
    const after = world.at(client, world.servers.length - 1);
    expect({ moment, state: (await after.finished('killed')).state }).toEqual({ moment, state: 'COMPLETED' });
    expect(await storesOf(after)).toEqual(wanted);
  },
);

it('frozen beyond its lease it changes nothing when it goes on: another worker has done its work', async () => {
  const client = await connected('frozen');
  const frozen = world.servers.at(-1)!;
  await disturbed(client, 'frozen', Math.ceil(parts / 2), async () => process.kill(frozen.pid, 'SIGSTOP'));
  await endLeases();
  await world.start();
  const other = world.at(client, world.servers.length - 1);
  expect(await other.finished('frozen')).toMatchObject({ state: 'COMPLETED' });
  const before = await storesOf(other);
  expect(before).toEqual(wanted);
  process.kill(frozen.pid, 'SIGCONT');
  // it goes on with what it was at, and finds that it is another's
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  expect(await storesOf(other)).toEqual(before);
  expect(await other.finished('frozen')).toMatchObject({ state: 'COMPLETED' });
});
