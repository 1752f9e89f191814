import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { mongo } from 'mongoose';
import { FINAL_STATES, scanRuns, type ScanRunRow } from '../../subgraphs/scans/records.js';
import { customKind, startCluster, type Cluster, type ClusterObject } from '../support/cluster.js';
import { openProcesses, type OwnWorld } from '../support/own-world.js';
import type { TestProcess } from '../support/process.js';
import { until } from '../support/stand-in.js';
import type { TestTenant } from '../support/world.js';

/** Kinds of the cluster that are its own: with the built-in ones a run has more than 60 parts. */
const CUSTOM = 40;
const PODS = 8;
/** Milliseconds until the cluster answers. */
const LATENCY = 10;

/** A store in a process of its own over a folder, which comes again at the same address after it was killed. */
async function startStore() {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-scans-'));
  const start = async (port: string): Promise<{ child: ChildProcess; uri: string }> => {
    const args = [join(__dirname, '../../dist/embedded/serve.js'), '--dir', dir, '--port', port];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...CLOCK } });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return { child, uri: line };
  };
  const first = await start('0');
  const { uri } = first;
  let { child } = first;
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const again = async () => void ({ child } = await start(new URL(uri).port));
  return { uri, kill, again };
}

const CLOCK_FILE = join(mkdtempSync(join(tmpdir(), 'palisade-clock-')), 'by');
const CLOCK = {
  NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, '../support/wrong-clock.mjs')).href}`,
  WRONG_BY_FILE: CLOCK_FILE,
};
/** Sets the clock of the machine that the store and all servers run on. @param by milliseconds by which it is wrong */
export const setClock = (by: number): void => writeFileSync(CLOCK_FILE, String(by));

const plural = (n: number): string => `${String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))}widgets`;
export const pod = (n: number, privileged = n % 3 === 0): ClusterObject => ({
  metadata: { name: `pod-${n}`, namespace: 'shop' },
  spec: { containers: [{ name: 'c', image: 'registry.example/shop:1', securityContext: { privileged } }] },
});
function objects(): Record<string, ClusterObject[]> {
  const kinds = Array.from({ length: CUSTOM }, (_, n) => plural(n));
  return {
    namespaces: [{ metadata: { name: 'shop' } }],
    pods: Array.from({ length: PODS }, (_, n) => pod(n)),
    customresourcedefinitions: kinds.map((name) => customKind(name, name[0]!.toUpperCase() + name.slice(1, -1))),
    ...Object.fromEntries(kinds.map((name) => [name, [{ metadata: { name: `of-${name}`, namespace: 'shop' } }]])),
  };
}

/** Two servers, each gateway and worker, over a store of their own, and a cluster that tenants have connected. */
export interface ScanEstate {
  readonly world: OwnWorld<TestProcess>;
  readonly cluster: Cluster;
  readonly store: { kill(): Promise<void>; again(): Promise<void> };
  /** All rows, as the store has them. */
  readonly db: mongo.Db;
  /** A tenant that has the cluster connected. */
  connected(): Promise<TestTenant>;
  /** Begins a scan at a server. */
  scan(tenant: TestTenant, id: string, server: number): Promise<void>;
  runOf(tenant: TestTenant, id: string): Promise<ScanRunRow | null>;
  /** How many rows a tenant has in a collection. */
  countOf(collection: string, tenant: TestTenant): Promise<number>;
  /** Where a run is: its state, or the stage that began last. */
  placeOf(tenant: TestTenant, id: string): Promise<string>;
  /** Waits for the end of a run, as the store tells it. */
  ended(tenant: TestTenant, id: string): Promise<ScanRunRow>;
  close(): Promise<void>;
}

export async function openScanEstate(): Promise<ScanEstate> {
  setClock(0);
  const store = await startStore();
  const world = await openProcesses({ env: { ...CLOCK, OUTBOUND_ALLOW: '127.0.0.0/8' }, servers: 2, store: store.uri });
  const cluster = await startCluster(objects());
  cluster.before = () => sleep(LATENCY);
  const runOf = async ({ tenant }: TestTenant, scan_run_id: string): Promise<ScanRunRow | null> =>
    world.database.tenant(tenant._id).collection(scanRuns).findOne({ scan_run_id });
  const client = await new mongo.MongoClient(store.uri).connect();
  const db = client.db(world.name);
  return {
    ...{ world, cluster, store, runOf, db },
    countOf: (collection, { tenant }) => db.collection(collection).countDocuments({ tenant_id: tenant._id }),
    async connected() {
      const tenant = await world.tenant();
      const secret = { server: cluster.url, ca_certificate: cluster.authority, token: cluster.token };
      const body = { provider: 'k8s', account_id: 'prod', connection: { secret } };
      const owner = world.at(await tenant.as('org_admin'), world.servers.length - 1);
      expect((await owner.call('/api/v1/cloud-accounts', { body })).status).toBe(201);
      return tenant;
    },
    async scan(tenant, scan_run_id, server) {
      const client = world.at(await tenant.as('analyst'), server);
      const { status, text } = await client.call('/api/v1/scans', { body: { account_id: 'prod', scan_run_id } });
      expect([status, text]).toEqual([202, expect.any(String)]);
    },
    async placeOf(tenant, id) {
      const run = await runOf(tenant, id);
      if (run?.state !== 'RUNNING') return run?.state ?? '';
      return run.stages?.findLast(({ started_at }) => started_at !== null)?.stage ?? 'RUNNING';
    },
    ended: (tenant, id) =>
      until(`the end of ${id}`, async () => {
        // the store may be away
        const run = await runOf(tenant, id).catch(() => null);
        return run && FINAL_STATES.includes(run.state) && run;
      }),
    async close() {
      setClock(0);
      await Promise.all(world.servers.map((server) => server.end('SIGKILL')));
      await Promise.all([cluster.close(), world.close(), client.close()]);
      await store.kill();
    },
  };
}
