import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../bench/random.js';
import { LEASE_MS } from '../../kit/work/due.js';
import { FINAL_STATES } from '../../subgraphs/scans/records.js';
import { until } from '../support/stand-in.js';
import type { TestTenant } from '../support/world.js';
import { openScanEstate, setClock, type ScanEstate } from './disturbed-scans.js';
import { differences, storesOf, type Stores } from './tenant-stores.js';

// Scans of more than 60 parts, of which what they need is killed, or the clock set, at moments of chance: the stores are those of a scan that nobody disturbed.
// SCAN_MOMENTS=200 disturbs as many scans as that, and SCAN_FIGURES names a file that takes a line of each; a few are enough from one change to the next.
const KINDS = ['worker', 'gateway', 'store', 'an hour ahead', 'an hour back', 'an hour back, and the worker'] as const;
/** Scans of tenants that one disturbance meets. */
const AT_ONCE = 2;
const TIMES = Math.ceil(Number(process.env['SCAN_MOMENTS'] ?? KINDS.length * AT_ONCE) / AT_ONCE);
const SEED = Number(process.env['SCAN_SEED'] ?? 1);
const HOUR = 3_600_000;
/** Scores and snapshots are kept by day: the clock is not set over midnight. */
const hourOf = (kind: string): number => {
  const now = new Date().getUTCHours();
  if (now === 23) return -HOUR;
  return now === 0 || kind === 'an hour ahead' ? HOUR : -HOUR;
};
/** Milliseconds beyond its leases in which a run must have ended, and how many times what it takes undisturbed: the machine may be busy. */
const BEYOND = 15_000;
const BUSY = 4;

let estate: ScanEstate;
let wanted: Stores;
let parts: number;
/** Milliseconds that scans take which nobody disturbs, as many at once, when the servers are new. */
let longest = 0;
/** The places of the two servers: scans begin at the first. */
let [worker, gateway] = [0, 1];
beforeAll(async () => {
  estate = await openScanEstate();
  const first = await estate.connected();
  await estate.scan(first, 'scan', worker);
  expect(await estate.ended(first, 'scan')).toMatchObject({ state: 'COMPLETED', attempts: 1 });
  parts = estate.cluster.asked.length;
  wanted = await storesOf(estate.db, first.tenant._id);
  const others = await connected();
  const began = Date.now();
  for (const tenant of others) await estate.scan(tenant, 'scan', worker);
  for (const tenant of others) await estate.ended(tenant, 'scan');
  longest = Date.now() - began;
  for (const { tenant } of others) expect(differences(await storesOf(estate.db, tenant._id), wanted)).toEqual([]);
});
afterAll(() => estate?.close());

const connected = () => Promise.all(Array.from({ length: AT_ONCE }, () => estate.connected()));

/** What is done to the machine, and what brings it back. */
async function disturb(kind: (typeof KINDS)[number]): Promise<() => Promise<unknown>> {
  const { world, store } = estate;
  switch (kind) {
    case 'worker':
      await world.servers[worker]!.end('SIGKILL');
      // the other one does the work alone
      return async () => {
        [worker, gateway] = [gateway, world.servers.length];
        await world.start();
      };
    case 'gateway':
      await world.servers[gateway]!.end('SIGKILL');
      return async () => {
        gateway = world.servers.length;
        await world.start();
      };
    case 'store':
      await store.kill();
      await store.again();
      return async () => undefined;
    case 'an hour ahead':
    case 'an hour back':
      setClock(hourOf(kind));
      return async () => setClock(0);
    case 'an hour back, and the worker': {
      // what it had taken it has until an hour that is gone
      setClock(hourOf(kind));
      const restore = await disturb('worker');
      return async () => {
        setClock(0);
        await restore();
      };
    }
  }
}

/** How far a scan is, between 0 and 1, by what of it is in the store: asked, taken in, judged, derived. */
async function progressOf(tenant: TestTenant): Promise<number> {
  const run = await estate.runOf(tenant, 'scan');
  if (!run || run.state === 'QUEUED') return 0;
  if (FINAL_STATES.includes(run.state)) return 1;
  if (run.upload_id === null) return 0.1;
  const share = async (name: string) => (await estate.countOf(name, tenant)) / wanted[name]!.length;
  return 0.2 + 0.2 * (await share('assets')) + 0.3 * (await share('findings')) + 0.25 * (await share('derivations'));
}

it('has at least 60 parts', () => {
  expect(parts).toBeGreaterThanOrEqual(60);
  expect(wanted['assets']!.length).toBeGreaterThan(45);
  expect(wanted['findings']!.length).toBeGreaterThan(50);
  expect(wanted['audit_log']!.length).toBeGreaterThan(50);
});

it.each(Array.from({ length: TIMES }, (_, n) => [KINDS[n % KINDS.length]!, n] as const))(
  'disturbed by the %s, time %i, scans end in time and leave what undisturbed ones do',
  async (kind, n) => {
    const random = new Random(SEED * 1_000 + n);
    const [moment, pause] = [random.next(), random.below(400)];
    const tenants = await connected();
    for (const tenant of tenants) await estate.scan(tenant, 'scan', worker);
    // the first of them has come so far, and a little further; the others are where they are
    await until(`the moment ${moment}`, async () => (await progressOf(tenants[0]!)) >= moment);
    await sleep(pause);
    const at = await Promise.all(tenants.map((tenant) => estate.placeOf(tenant, 'scan')));
    const disturbed = Date.now();
    const restore = await disturb(kind);
    const runs = await Promise.all(
      tenants.map(async (tenant) => ({ run: await estate.ended(tenant, 'scan'), took: Date.now() - disturbed })),
    );
    await restore();
    const found = await Promise.all(tenants.map(({ tenant }) => storesOf(estate.db, tenant._id)));
    const seen = runs.map(({ run, took }, i) => {
      const { state, attempts } = run;
      return { kind, n, moment, at: at[i]!, state, attempts, took, differences: differences(found[i]!, wanted) };
    });
    if (process.env['SCAN_FIGURES'])
      for (const line of seen) appendFileSync(process.env['SCAN_FIGURES'], `${JSON.stringify({ ...line, longest })}\n`);
    expect(seen).toMatchObject(seen.map(() => ({ state: 'COMPLETED', differences: [] })));
    // how long they took is for the long run to say, on a machine that does nothing else
    const most = process.env['SCAN_FIGURES'] ? LEASE_MS + BEYOND + BUSY * longest : Infinity;
    expect(Math.max(...runs.map(({ took }) => took))).toBeLessThan(most);
  },
);
