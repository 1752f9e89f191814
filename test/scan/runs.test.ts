import { readdir, utimes } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { createLogger } from '../../kit/base/logger.js';
import { loadConfig } from '../../kit/base/config.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createEngineContext } from '../../kit/engine/create-context.js';
import { findingRunChanges } from '../../kit/findings/run-changes.js';
import { systemAuthContext } from '../../kit/base/auth-context.js';
import type { JobRun } from '../../kit/engine/job.js';
import { openServices, type Opened } from '../../processes/services.js';
import { permissionsOf } from '../../schema/permissions.js';
import { tenants } from '../../accounts/records.js';
import { importReportJob } from '../../subgraphs/scans/import-job.js';
import { scanRunEvents } from '../../subgraphs/scans/events/records.js';
import { scanRuns, type ScanRunRow } from '../../subgraphs/scans/records.js';
import { retainRuns, sweepOrphans } from '../../subgraphs/scans/retention.js';
import { cancelScanRun, retryScanRun } from '../../subgraphs/scans/run-control.js';
import { findScanRun, importReport, type ImportParameters } from '../../subgraphs/scans/service.js';
import { bucket, ocsf, sarif, trivy } from '../support/reports.js';
import { openWorld, type World } from '../support/world.js';

const DAY = 86_400_000;
const A = { rule: 'rule_a', resource: bucket('a') };
const B = { rule: 'rule_b', resource: bucket('b') };

let world: World;
let opened: Opened;
let folder: string;
const clock = fixedClock('2026-03-01T12:00:00.000Z');
beforeAll(async () => {
  world = await openWorld();
  folder = mkdtempSync(join(tmpdir(), 'palisade-test-runs-'));
  const env = {
    MONGODB_URI: process.env['PALISADE_TEST_MONGODB_URI'],
    MONGODB_DB: process.env['PALISADE_TEST_DB'],
    PALISADE_SECRET: process.env['PALISADE_TEST_SECRET'],
    OBJECT_DIR: folder,
  };
  opened = await openServices(loadConfig(env), createLogger('silent'), { clock });
});
beforeEach(() => clock.set('2026-03-01T12:00:00.000Z'));
afterAll(async () => {
  await opened.close();
  await world.close();
});

/** A tenant whose runs are worked on by hand, with the services of this process. */
async function workbench() {
  const { tenant, as } = await world.tenant();
  const { services } = opened;
  const auth = systemAuthContext(tenant, 'analyst', permissionsOf('analyst'));
  const context = createEngineContext(services, 'scans', auth, new AbortController().signal);
  const stage = async (report: unknown) => {
    const bytes = report instanceof Uint8Array ? Buffer.from(report) : Buffer.from(JSON.stringify(report));
    return (await services.objects.put(tenant._id, Readable.from([bytes]), { maxBytes: 1e8 })).id;
  };
  // the workers of the shared server see neither these rows nor this folder's files in time: the job is taken from them
  const quiet = { ...services, jobs: Object.assign(Object.create(services.jobs) as typeof services.jobs, { add: async () => 'by hand' }) };
  const calm = createEngineContext(quiet, 'scans', auth, new AbortController().signal);
  return {
    tenant,
    as,
    services,
    context: calm,
    row: (id: string) => findScanRun(context, id) as Promise<ScanRunRow>,
    objects: async () => (await services.objects.list(tenant._id)).length,
    stage,
    submit: async (id: string, report: unknown, parameters: ImportParameters = {}) =>
      importReport(calm, { upload_id: await stage(report), scan_run_id: id, ...parameters }),
    /** Does the run's job, as a worker would. @param onAlive called between two steps */
    work: (id: string, onAlive: () => void = () => {}) => {
      const advance = () => Promise.resolve();
      const job: JobRun = {
        context: calm,
        payload: { scan_run_id: id },
        alive: onAlive,
        isFollowed: false,
        position: null,
        result: null,
        advance,
      };
      return importReportJob.run(job);
    },
  };
}

describe('the same scan_run_id again', () => {
  it('with the same content and parameters is the first run, compressed or not, and leaves one upload', async () => {
    const { submit, objects } = await workbench();
    const report = ocsf([A, B]);
    const first = await submit('same', report, { account_id: '1' });
    const again = await submit('same', gzipSync(JSON.stringify(report)), { account_id: '1' });
    const named = await submit('same', report, { account_id: '1', format: 'ocsf' });
    expect([again.created_at, named.created_at, again.upload_id]).toEqual([first.created_at, first.created_at, first.upload_id]);
    expect(await objects()).toBe(1);
  });

  it.each<[string, unknown, ImportParameters]>([
    ['another report', ocsf([B]), {}],
    ['another account', ocsf([A]), { account_id: '2' }],
    ['another region', ocsf([A]), { region: 'eu-west-1' }],
    ['another artifact', ocsf([A]), { artifact: 'x' }],
    ['another format', ocsf([A]), { format: 'asff' }],
    ['another provider', ocsf([A]), { provider: 'gcp' }],
    ['another time', ocsf([A]), { observed_at: new Date('2026-01-01T00:00:00Z') }],
  ])('with %s is a conflict that names the first run', async (_case, report, parameters) => {
    const { submit } = await workbench();
    await submit('same', ocsf([A]));
    await expect(submit('same', report, parameters)).rejects.toMatchObject({
      code: 'CONFLICT',
      extensions: { detail: { scan_run_id: 'same', state: 'QUEUED', created_at: clock.now() } },
    });
  });

  it('is the first run as ever where that was made before digests were kept', async () => {
    const { submit, context } = await workbench();
    await submit('old', ocsf([A]));
    await context.collection(scanRuns).update({ scan_run_id: 'old' }, { $unset: { report_sha256: 1, request_sha256: 1 } });
    expect(await submit('old', ocsf([B]), { account_id: '2' })).toMatchObject({ scan_run_id: 'old', account_id: null });
  });
});

describe('a cancelled run', () => {
  it('that waits is CANCELLED at once, with its engines, and its job does nothing', async () => {
    const { submit, context, work, row } = await workbench();
    await submit('waiting', ocsf([A]));
    expect(await cancelScanRun(context, 'waiting')).toMatchObject({ state: 'CANCELLED', completed_at: clock.now() });
    await work('waiting');
    const ended = await row('waiting');
    expect(ended).toMatchObject({ state: 'CANCELLED', counts: { records: 0, new: 0 } });
    expect(new Set(ended.engines.map(({ state }) => state))).toEqual(new Set(['CANCELLED']));
  });

  it('that is being worked on is CANCELLING until its counts are final, and closes nothing', async () => {
    const { submit, context, work, row } = await workbench();
    await submit('before', ocsf([A, { rule: 'gone', resource: bucket('gone') }]));
    await work('before');
    const records = Array.from({ length: 3_000 }, (_, n) => ({ rule: `r${n % 9}`, resource: bucket(`b-${n}`) }));
    await submit('stopped', ocsf(records));
    let taken = 0;
    let during: Promise<ScanRunRow> | null = null;
    await work('stopped', () => {
      if (++taken === 1_100) during = cancelScanRun(context, 'stopped');
    });
    expect(await during).toMatchObject({ state: 'CANCELLING', completed_at: null });
    const ended = await row('stopped');
    expect(ended).toMatchObject({ state: 'CANCELLED', completed_at: clock.now(), counts: { resolved: 0 } });
    expect(ended.counts.records).toBeLessThan(3_000);
    // what was counted is taken in
    expect([0, 1]).toContain(ended.counts.new - ended.counts.records);
    expect(ended.counts.records).toBeGreaterThan(0);
    expect(new Set(ended.engines.map(({ state }) => state))).toEqual(new Set(['CANCELLED']));
    await expect(cancelScanRun(context, 'stopped')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('whose worker was lost ends with the next one', async () => {
    const { submit, context, work, row } = await workbench();
    await submit('lost', ocsf([A]));
    const lost = work('lost', () => {
      throw new Error('the machine is gone');
    });
    await expect(lost).rejects.toThrow('the machine is gone');
    expect(await cancelScanRun(context, 'lost')).toMatchObject({ state: 'CANCELLING' });
    await work('lost');
    const ended = await row('lost');
    expect(ended).toMatchObject({ state: 'CANCELLED', counts: { records: 0 } });
    expect(ended.engines.every(({ state }) => state === 'CANCELLED')).toBe(true);
  });
});

describe('a retry', () => {
  it('runs a cancelled run to its end, under its own id', async () => {
    const { submit, context, work, row, as } = await workbench();
    await submit('again', ocsf([A, B]));
    await cancelScanRun(context, 'again');
    expect(await retryScanRun(context, 'again')).toMatchObject({ state: 'QUEUED', completed_at: null, errors: [] });
    await work('again');
    expect(await row('again')).toMatchObject({ state: 'COMPLETED', counts: { records: 2, new: 2 } });
    await expect(retryScanRun(context, 'again')).rejects.toMatchObject({ code: 'CONFLICT' });
    const admin = await as('tenant_admin');
    const { body } = await admin.call<{ items: { action: string }[] }>('/api/v1/audit-logs?action=scan.cancel,scan.retry,scan.complete');
    expect(body.items.map(({ action }) => action)).toEqual(['scan.complete', 'scan.retry', 'scan.cancel']);
  });

  it('is GONE once the report is not kept any more, and a job that meets it says so', async () => {
    const { submit, context, work, row, services, tenant } = await workbench();
    const { upload_id } = await submit('gone', ocsf([A]));
    await services.objects.remove(tenant._id, upload_id!);
    await work('gone');
    expect(await row('gone')).toMatchObject({ state: 'FAILED', errors: [{ position: 'report', reason: 'the report is no longer kept' }] });
    await expect(retryScanRun(context, 'gone')).rejects.toMatchObject({ code: 'GONE' });
  });

  it('over HTTP is 202, 404, 409, and 403 for a viewer', async () => {
    const { as, tenant } = await world.tenant();
    const client = await as('analyst');
    await client.import(ocsf([A]), { scan_run_id: 'done' });
    const retry = (id: string, caller = client) => caller.call(`/api/v1/scan-runs/${id}/retry`, { method: 'POST' });
    expect((await retry('done')).status).toBe(409);
    expect((await retry('absent')).status).toBe(404);
    expect((await retry('done', await as('viewer'))).status).toBe(403);
    await world.database
      .tenant(tenant._id)
      .collection(scanRuns)
      .update({ scan_run_id: 'done' }, { $set: { state: 'FAILED' } });
    expect((await retry('done')).status).toBe(202);
    expect(await client.finished('done')).toMatchObject({ state: 'COMPLETED', counts: { records: 1, new: 1 } });
  });
});

describe('the time of observation', () => {
  const observed = async (id: string, report: unknown, parameters: ImportParameters = {}) => {
    const { submit, work, row } = await workbench();
    await submit(id, report, parameters);
    await work(id);
    return (await row(id)).observed_at?.toISOString();
  };
  const scanned = (endTimeUtc: string) => {
    const log = sarif('semgrep', [{ rule: 'x', file: 'a.py', line: 1 }]) as { runs: object[] };
    return { ...log, runs: log.runs.map((run) => ({ ...run, invocations: [{ endTimeUtc, executionSuccessful: true }] })) };
  };

  it('is what the report says of itself, else that of the import', async () => {
    expect(await observed('t', trivy('app:1', []))).toBe('2025-10-09T08:53:20.000Z');
    expect(await observed('s', scanned('2025-11-01T10:00:00.123456Z'))).toBe('2025-11-01T10:00:00.123Z');
    expect(await observed('o', ocsf([A]))).toBe('2026-03-01T12:00:00.000Z');
  });

  it('is never later than the import, whatever the report says, and never what cannot be read', async () => {
    for (const time of ['2031-01-01T00:00:00Z', '0001-01-01T00:00:00Z', 'yesterday', '2025-02-30'])
      expect(await observed('s', scanned(time))).toBe('2026-03-01T12:00:00.000Z');
  });

  it('is what the caller says, up to five minutes ahead', async () => {
    expect(await observed('t', trivy('app:1', []), { observed_at: new Date('2026-02-01T00:00:00Z') })).toBe('2026-02-01T00:00:00.000Z');
    expect(await observed('t', ocsf([A]), { observed_at: new Date('2026-03-01T12:04:00Z') })).toBe('2026-03-01T12:04:00.000Z');
    await expect(observed('t', ocsf([A]), { observed_at: new Date('2026-03-01T12:06:00Z') })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extensions: { detail: [{ path: 'observed_at' }] },
    });
  });
});

describe('the retention of runs', () => {
  it('removes reports, then runs, by age and with an entry in the audit log', async () => {
    const { submit, work, row, objects, services, tenant, context, as } = await workbench();
    await submit('old', ocsf([A]));
    await work('old');
    await submit('waiting', ocsf([B]));
    clock.set(new Date(clock.now().getTime() + 89 * DAY).toISOString());
    await retainRuns(services, tenant._id);
    expect(await objects()).toBe(2);
    clock.set(new Date(clock.now().getTime() + 2 * DAY).toISOString());
    await retainRuns(services, tenant._id);
    expect(await objects()).toBe(1);
    expect(await row('old')).toMatchObject({ state: 'COMPLETED', upload_id: null });
    await context.collection(scanRuns).update({ scan_run_id: 'old' }, { $set: { state: 'FAILED' } });
    await expect(retryScanRun(context, 'old')).rejects.toMatchObject({ code: 'GONE' });
    clock.set(new Date(clock.now().getTime() + 30 * DAY).toISOString());
    await retainRuns(services, tenant._id);
    expect([await row('old'), (await row('waiting')).state]).toEqual([null, 'QUEUED']);
    const admin = await as('tenant_admin');
    const { body } = await admin.call<{ items: { detail: object }[] }>('/api/v1/audit-logs?action=scan.expire');
    expect(body.items.map(({ detail }) => detail)).toEqual([
      { runs: 1, first: '2026-03-01T12:00:00.000Z', last: '2026-03-01T12:00:00.000Z' },
      { reports: 1, first: '2026-03-01T12:00:00.000Z', last: '2026-03-01T12:00:00.000Z' },
    ]);
  });

  it('takes the events of a run, and what it did to findings, with it', async () => {
    const { submit, work, services, tenant, context } = await workbench();
    for (const [id, record] of Object.entries({ first: A, second: B })) {
      await submit(id, ocsf([record]));
      await work(id);
    }
    const check = services.database.tenant(tenant._id).engine('check');
    const kept = () => Promise.all([context.collection(scanRunEvents).count({}), check.collection(findingRunChanges).count({})]);
    const [events, changes] = await kept();
    expect([events > 4, changes]).toEqual([true, 1]);
    clock.set(new Date(clock.now().getTime() + 119 * DAY).toISOString());
    await retainRuns(services, tenant._id);
    expect(await kept()).toEqual([events, 1]);
    clock.set(new Date(clock.now().getTime() + 2 * DAY).toISOString());
    await retainRuns(services, tenant._id);
    expect(await kept()).toEqual([0, 0]);
  });

  it('follows the setting of the tenant', async () => {
    const { submit, work, objects, services, tenant, as } = await workbench();
    await submit('short', ocsf([A]));
    await work('short');
    const admin = await as('tenant_admin');
    const body = { settings: { run_retention_days: 2 } };
    const changed = await admin.call(`/api/v1/tenants/${tenant._id}`, { method: 'PATCH', body });
    expect(changed).toMatchObject({ status: 200, body: { settings: { run_retention_days: 2, default_provider: 'aws' } } });
    clock.set('2026-03-03T12:00:01.000Z');
    await retainRuns(services, tenant._id);
    expect(await objects()).toBe(0);
  });

  it('sweeps uploads of a day ago that no run came of, and their unfinished parts, and no other', async () => {
    const { stage, submit, objects, services, tenant } = await workbench();
    await submit('kept', ocsf([A]));
    await stage(ocsf([B]));
    const other = await workbench();
    await other.stage(ocsf([B]));
    clock.set(new Date().toISOString());
    await sweepOrphans(services, tenant._id);
    expect(await objects()).toBe(2);
    for (const path of await readdir(folder, { recursive: true }))
      await utimes(join(folder, path), new Date(), new Date(Date.now() - 2 * DAY));
    await sweepOrphans(services, tenant._id);
    expect([await objects(), await other.objects()]).toEqual([1, 1]);
  });
});

describe('the provider of what runs in no cloud', () => {
  const report = sarif('semgrep', [{ rule: 'x', file: 'a.py', line: 1 }]);
  const providers = async (bench: Awaited<ReturnType<typeof workbench>>) => {
    const client = await bench.as('analyst');
    const { body } = await client.call<{ items: { provider: string }[] }>('/api/v1/secops/findings');
    return body.items.map(({ provider }) => provider);
  };
  const set = (bench: Awaited<ReturnType<typeof workbench>>, update: Record<string, unknown>) =>
    bench.services.database.tenant(bench.tenant._id).collection(tenants).update({}, update);

  it("is the import's, else the tenant's, else that of tenants before there was a default", async () => {
    const bench = await workbench();
    await bench.submit('one', report);
    await bench.work('one');
    expect(await providers(bench)).toEqual(['aws']);
    const named = await workbench();
    await named.submit('one', report, { provider: 'gcp' });
    await named.work('one');
    expect(await providers(named)).toEqual(['gcp']);
    const older = await workbench();
    await set(older, { $unset: { 'settings.default_provider': 1 } });
    await older.submit('one', report);
    await older.work('one');
    expect(await providers(older)).toEqual(['k8s']);
  });

  it('must be named where the tenant has none', async () => {
    const bench = await workbench();
    await set(bench, { $set: { 'settings.default_provider': null } });
    await expect(bench.submit('one', report)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extensions: { detail: [{ path: 'provider' }] },
    });
    expect(await bench.submit('two', report, { provider: 'azure' })).toMatchObject({ state: 'QUEUED' });
    expect(await bench.submit('three', ocsf([A]))).toMatchObject({ state: 'QUEUED' });
  });
});
