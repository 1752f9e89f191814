import { jobs } from '../../kit/work/jobs.js';
import { until } from '../support/stand-in.js';
import type { TestTenant } from '../support/world.js';
import { openScanEstate, pod, type ScanEstate } from './disturbed-scans.js';
import { differences, storesOf, type Stores } from './tenant-stores.js';

// A worker that stands still beyond its lease, in the middle of a scan, and then goes on: meanwhile another one has done its work, and more.
let estate: ScanEstate;
beforeAll(async () => void (estate = await openScanEstate()));
afterAll(() => estate?.close());

const [ONE, OTHER] = [0, 1];
const signal = (server: number, name: 'SIGSTOP' | 'SIGCONT') => process.kill(estate.world.servers[server]!.pid, name);

/** Where the worker is stopped: whether a scan has come so far. */
const MOMENTS: Readonly<Record<string, (tenant: TestTenant, asked: number) => boolean | Promise<boolean>>> = {
  'asks the cluster': (_, asked) => estate.cluster.asked.length >= asked + 20,
  'takes resources in': async (tenant) => (await estate.countOf('assets', tenant)) > 0,
  'takes findings in': async (tenant) => (await estate.countOf('findings', tenant)) > 0,
};

/** Begins a scan at one worker, and stops that at a moment. @returns null when the scan had ended by then */
async function frozenAt(moment: string): Promise<TestTenant | null> {
  const tenant = await estate.connected();
  const asked = estate.cluster.asked.length;
  // so that the other does not take it
  signal(OTHER, 'SIGSTOP');
  try {
    await estate.scan(tenant, 'first', ONE);
    await until(`it ${moment}`, () => MOMENTS[moment]!(tenant, asked));
    signal(ONE, 'SIGSTOP');
  } finally {
    signal(OTHER, 'SIGCONT');
  }
  if ((await estate.placeOf(tenant, 'first')) !== 'COMPLETED') return tenant;
  signal(ONE, 'SIGCONT');
  return null;
}

/** Waits until a worker has let go of what it had of a tenant: of one tenant it does one job at a time, and the other worker is stopped. */
async function doesAnotherJob(tenant: TestTenant, server: number): Promise<void> {
  const owner = estate.world.at(await tenant.as('org_admin'), server);
  const { status, body } = await owner.call<{ job_id: string }>('/api/v1/cloud-accounts/prod/validate', { method: 'POST' });
  expect([status, body]).toEqual([202, expect.objectContaining({ job_id: expect.any(String) as string })]);
  const rows = estate.world.database.tenant(tenant.tenant._id).collection(jobs);
  await until('its next job ends', async () => (await rows.findOne({ _id: body.job_id }))?.state === 'done');
}

const withoutTrial = (stores: Stores): Stores => ({
  ...stores,
  audit_log: stores['audit_log']!.filter((entry) => !entry.includes('cloud_account.validate')),
});

it.each(Object.keys(MOMENTS))('what it does late changes nothing: stopped when it %s', async (moment) => {
  const { cluster, db } = estate;
  const { pods } = cluster.objects;
  // a busy machine may be too late to stop it
  const tenant = (await frozenAt(moment)) ?? (await frozenAt(moment)) ?? (await frozenAt(moment));
  expect(tenant).not.toBeNull();
  const { _id } = tenant!.tenant;
  try {
    expect(await estate.ended(tenant!, 'first')).toMatchObject({ state: 'COMPLETED' });
    // what was true when it was stopped is true no more: a pod is gone, one is new, and one is as it should not be
    cluster.objects['pods'] = [...pods!.slice(2), pod(1, true), pod(99)];
    await estate.scan(tenant!, 'second', OTHER);
    expect(await estate.ended(tenant!, 'second')).toMatchObject({ state: 'COMPLETED', counts: { resolved: expect.any(Number) as number } });
    const before = await storesOf(db, _id);
    signal(OTHER, 'SIGSTOP');
    signal(ONE, 'SIGCONT');
    await doesAnotherJob(tenant!, ONE);
    expect(differences(withoutTrial(await storesOf(db, _id)), before)).toEqual([]);
  } finally {
    for (const server of [ONE, OTHER]) signal(server, 'SIGCONT');
    cluster.objects['pods'] = pods!;
  }
});
