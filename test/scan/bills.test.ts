import { randomUUID } from 'node:crypto';
import { readOsv } from '../../feeds/osv.js';
import { writeAdvisories } from '../../feeds/write-advisories.js';
import { bufferSource } from '../../importers/index.js';
import { fixture } from '../importers/fixtures.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let admin: Client;
let tenant: TestTenant;
beforeAll(async () => (world = await openWorld()));
beforeEach(async () => {
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

interface Found {
  items: { finding_id: string; rule_id: string; status: string; resource_uid: string }[];
  total: number;
}
interface Job {
  job_id: string;
  state: string;
  result: { scan_run_id: string; state: string; counts: { records: number; new: number; resolved: number } } | null;
  error: string | null;
}

const vulnerabilities = async () => (await admin.call<Found>('/api/v1/vulnerability/findings')).body.items;
const statuses = async () => Object.fromEntries((await vulnerabilities()).map(({ rule_id, status }) => [rule_id, status]));

async function upload(bytes: Uint8Array, query = ''): Promise<Job> {
  const { status, body, text } = await admin.call<Job>(`/api/v1/secops/sboms${query}`, { raw: bytes });
  if (status !== 202) throw new Error(text);
  return body;
}

async function ended({ job_id }: Job): Promise<Job> {
  for (const until = Date.now() + 200_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const { body } = await admin.call<Job>(`/api/v1/jobs/${job_id}`);
    if (!['QUEUED', 'RUNNING', 'CANCELLING'].includes(body.state)) return body;
  }
  throw new Error('the job did not end');
}

/** A report of Grype: one vulnerability in the OpenSSL of an image. */
const grype = {
  matches: [
    {
      vulnerability: { id: 'CVE-2023-5678', severity: 'Medium', fix: { state: 'not-fixed', versions: [] } },
      artifact: { name: 'libssl3', version: '3.0.11-1', type: 'deb', purl: 'pkg:deb/debian/libssl3@3.0.11-1?arch=amd64&distro=debian-12' },
    },
  ],
  source: { type: 'image', target: { userInput: 'registry.example.com/shop:2.4' } },
  descriptor: { name: 'grype', version: '0.80' },
};

describe('a bill of materials that is uploaded', () => {
  it('is imported by a job that people follow, and given back in both formats', async () => {
    const job = await ended(await upload(fixture('cyclonedx', 'shop.cdx.json')));
    expect(job).toMatchObject({ state: 'COMPLETED', error: null, result: { state: 'COMPLETED', counts: { records: 7 } } });
    const run = await admin.call(`/api/v1/scan-runs/${job.result!.scan_run_id}`);
    expect(run.body).toMatchObject({ format: 'cyclonedx', state: 'COMPLETED' });
    const path = `/api/v1/secops/sboms/${encodeURIComponent('registry.example.com/shop:2.4')}`;
    const cyclonedx = await admin.call(path);
    expect(cyclonedx.headers.get('content-type')).toMatch(/^application\/vnd\.cyclonedx\+json/);
    expect(cyclonedx.body).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(cyclonedx.body['components']).toHaveLength(5);
    const spdx = await admin.call(path, { headers: { accept: 'application/spdx+json' } });
    expect(spdx.headers.get('content-type')).toMatch(/^application\/spdx\+json/);
    expect(spdx.body['packages']).toHaveLength(6);
    const { body } = await admin.call<Found>('/api/v1/secops/components?name=qs');
    expect(body).toMatchObject({ total: 1, items: [{ artifact_id: 'registry.example.com/shop:2.4', relation: 'transitive' }] });
  });

  it('is refused where it is another report, and leaves no run', async () => {
    const { status, body } = await admin.call('/api/v1/secops/sboms', { raw: JSON.stringify(grype) });
    expect([status, JSON.stringify(body['detail'])]).toEqual([422, expect.stringContaining('is no bill of materials')]);
    expect((await admin.call<Found>('/api/v1/scan-runs')).body.total).toBe(0);
  });

  it("stands for what the caller names, and is no other tenant's", async () => {
    await ended(await upload(fixture('spdx', 'shop.spdx.json'), '?artifact=mine'));
    expect((await admin.call('/api/v1/secops/sboms/mine')).status).toBe(200);
    const other = await (await world.tenant()).as('tenant_admin');
    expect((await other.call('/api/v1/secops/sboms/mine')).status).toBe(404);
    expect((await other.call<Found>('/api/v1/secops/components')).body.total).toBe(0);
    expect((await (await tenant.as('viewer')).call('/api/v1/secops/sboms/mine')).status).toBe(403);
  });
});

describe('components of a bill that advisories are about', () => {
  it('are findings of the run that has read it, and are resolved by the next bill without them', async () => {
    // the advisories are those of every test that shares the store
    const name = `weak-${randomUUID().slice(0, 8)}`;
    const affected = [
      { package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }] },
    ];
    const advisory = { id: `TEST-${name}`, modified: '2026-01-01T00:00:00Z', aliases: ['CVE-2026-9999'], affected };
    await writeAdvisories(world.database, readOsv(bufferSource(Buffer.from(JSON.stringify(advisory)))));
    const bill = (version: string) => ({
      ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
      metadata: { component: { type: 'container', name: 'registry.example.com/cart', version: '1' } },
      components: [{ type: 'library', name, version, purl: `pkg:npm/${name}@${version}` }],
    });
    const job = await ended(await upload(Buffer.from(JSON.stringify(bill('1.0.0')))));
    expect(job.result).toMatchObject({ state: 'COMPLETED', counts: { new: 1, resolved: 0 } });
    expect(await vulnerabilities()).toMatchObject([
      { rule_id: 'CVE-2026-9999', status: 'OPEN', resource_uid: 'registry.example.com/cart:1' },
    ]);
    const fixed = await ended(await upload(Buffer.from(JSON.stringify(bill('2.0.0')))));
    expect(fixed.result).toMatchObject({ state: 'COMPLETED', counts: { new: 0, resolved: 1 } });
    expect(await statuses()).toEqual({ 'CVE-2026-9999': 'RESOLVED' });
  });
});

describe('a statement that a vulnerability does not concern what has it', () => {
  it('makes false positives of the findings of any scanner, once, with its reason in the audit log', async () => {
    await admin.import(grype);
    expect(await statuses()).toEqual({ 'CVE-2023-5678': 'OPEN' });
    const first = await admin.import(fixture('openvex', 'shop.openvex.json'), { scan_run_id: 'vex-1' });
    expect(first.state).toBe('COMPLETED');
    expect(await statuses()).toMatchObject({ 'CVE-2023-5678': 'FALSE_POSITIVE', 'CVE-2022-24999': 'OPEN' });
    const { body } = await admin.call<{ items: { detail: object }[] }>('/api/v1/audit-logs?action=finding.status');
    expect(body.items[0]!.detail).toMatchObject({
      from: 'OPEN',
      to: 'FALSE_POSITIVE',
      scan_run_id: 'vex-1',
      note: expect.stringContaining('vulnerable code not in execute path: Keys of that size are never read.') as string,
    });
    const { finding_id } = (await vulnerabilities()).find(({ rule_id }) => rule_id === 'CVE-2023-5678')!;
    const reopened = await admin.call(`/api/v1/views/finding/vulnerability/${finding_id}/status`, {
      method: 'PATCH',
      body: { status: 'OPEN' },
    });
    expect(reopened.status).toBe(200);
    await admin.import(fixture('openvex', 'shop.openvex.json'), { scan_run_id: 'vex-2' });
    expect(await statuses()).toMatchObject({ 'CVE-2023-5678': 'OPEN' });
  });

  it('is read from a bill with its vulnerabilities; what it calls resolved opens and closes nothing', async () => {
    await admin.import(fixture('cyclonedx', 'shop.cdx.json'));
    expect(await statuses()).toEqual({ 'CVE-2022-24999': 'OPEN', 'CVE-2023-5678': 'FALSE_POSITIVE' });
  });

  it('speaks of the package that it names alone', async () => {
    const other = structuredClone(grype);
    other.matches[0]!.artifact = { ...other.matches[0]!.artifact, version: '3.0.12-1', purl: 'pkg:deb/debian/libssl3@3.0.12-1' };
    await admin.import(other);
    await admin.import(fixture('openvex', 'shop.openvex.json'));
    expect(await statuses()).toMatchObject({ 'CVE-2023-5678': 'OPEN' });
  });
});
