import { createHash } from 'node:crypto';
import { auditLog } from '../../kit/audit/audit.js';
import { exportPieces } from '../../subgraphs/reporting/exports/records.js';
import { reportRowId, reports, type ReportRow } from '../../subgraphs/reporting/reports/records.js';
import { feed } from '../contract/feeds.js';
import { openOwnWorld, type OwnWorld } from '../support/own-world.js';
import { s3Input, startS3 } from '../support/s3-stand.js';
import type { Client, TestTenant } from '../support/world.js';

let s3: Awaited<ReturnType<typeof startS3>>;
let world: OwnWorld;
let tenant: TestTenant;
let admin: Client;
let analyst: Client;
let bucket: string;

const integrate = async (client: Client, url: string): Promise<string> => {
  const { status, body } = await client.call<{ integration_id: string }>('/api/v1/integrations', { body: s3Input(url) });
  expect(status).toBe(201);
  return body.integration_id;
};

beforeAll(async () => {
  s3 = await startS3('findings');
  world = await openOwnWorld({ env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  tenant = await world.tenant();
  [admin, analyst] = [await tenant.as('tenant_admin'), await tenant.as('analyst')];
  const sample = {
    rule: 'r',
    title: 'T',
    name: 'b',
    severity: 'low',
    provider: 'aws',
    region: 'eu-west-1',
    type: 'aws_s3_bucket',
    account: '1',
  } as const;
  // more than one piece of a file
  const many = Array.from({ length: 3_000 }, (_, n) => ({ ...sample, resource: `arn:aws:s3:::${'b'.repeat(400)}-${n}` }));
  await feed(admin, 'check', many, { source: 'scanner' });
  bucket = await integrate(admin, s3.url);
});
afterAll(async () => {
  await world?.close();
  await s3?.close();
});

const put = (client: Client, id: string, body: object) =>
  client.call<Record<string, unknown>>(`/api/v1/reports/${id}`, {
    method: 'PUT',
    body: { name: 'A report', format: 'csv', findings: {}, schedule: { cron: '0 8 * * *', time_zone: 'UTC' }, ...body },
  });
const rows = () => world.database.tenant(tenant.tenant._id).collection(reports);

/** Lets a report's firing have come, and waits until all is told of its files. */
async function fire(id: string): Promise<ReportRow['last_run']> {
  const _id = reportRowId(tenant.tenant._id, id);
  const past = new Date(Date.now() - 60_000);
  await rows().update({ _id }, { $set: { next_run_at: past, due_at: past } });
  for (;;) {
    const run = (await rows().findOne({ _id }))!.last_run;
    const puts = run?.files.flatMap(({ puts = [] }) => puts) ?? [];
    if (run && run.state !== 'RUNNING' && puts.every(({ state }) => state !== 'RUNNING')) return run;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a report with a bucket', () => {
  it('puts its file there, the same bytes as the download, and tells its name', async () => {
    expect((await put(admin, 'nightly', { buckets: [bucket, bucket] })).body).toMatchObject({ buckets: [bucket] });
    const run = await fire('nightly');
    const { export_id, puts } = run!.files[0]!;
    const file = await admin.call(`/api/v1/exports/${export_id}/download`);
    const day = new Date().toISOString().slice(0, 10);
    const key = `palisade/acme/report_nightly/findings-${day}-${export_id.slice(0, 8)}.csv`;
    expect(puts).toEqual([{ integration_id: bucket, state: 'COMPLETED', key, reason: null, completed_at: expect.any(Date) as Date }]);
    expect(Buffer.byteLength(file.text)).toBeGreaterThan(1_048_576);
    expect(createHash('sha256').update(s3.files.get(key)!).digest('hex')).toBe(createHash('sha256').update(file.text).digest('hex'));
    const [listed] = (await admin.call<{ items: { last_run: { files: object[] } }[] }>('/api/v1/reports')).body.items;
    expect(listed!.last_run.files).toEqual([expect.objectContaining({ puts: [expect.objectContaining({ key, state: 'COMPLETED' })] })]);
    const noted = await world.database.tenant(tenant.tenant._id).collection(auditLog).find({ action: 'export.put' });
    expect(noted.map(({ target, result, detail }) => ({ target, result, detail }))).toEqual([
      { target: `export:${export_id}`, result: 'success', detail: { report_id: 'nightly', integration_id: bucket, key } },
    ]);
  });

  it('tells why the bucket did not take its file, and is complete all the same', async () => {
    await put(admin, 'refused', { buckets: [bucket] });
    s3.fails = 403;
    const run = await fire('refused');
    s3.fails = null;
    expect(run!.state).toBe('COMPLETED');
    expect(run!.files[0]!.puts).toEqual([
      expect.objectContaining({ state: 'FAILED', key: null, reason: 'the object storage answered 403 (ServiceUnavailable)' }),
    ]);
  });

  it('tries again what the bucket does not take for now', async () => {
    await put(admin, 'again', { buckets: [bucket] });
    s3.fails = 503;
    setTimeout(() => (s3.fails = null), 1_000);
    const run = await fire('again');
    expect(run!.files[0]!.puts).toEqual([expect.objectContaining({ state: 'COMPLETED', reason: null })]);
  });

  it('says that the file is gone where it goes between two tries, and not that the bucket is away', async () => {
    await put(admin, 'gone', { buckets: [bucket] });
    const pieces = world.database.tenant(tenant.tenant._id).collection(exportPieces);
    s3.fails = 503;
    s3.before = () => pieces.remove({ number: 1 });
    const run = await fire('gone');
    [s3.fails, s3.before] = [null, null];
    expect(run!.files[0]!.puts).toEqual([expect.objectContaining({ state: 'FAILED', key: null, reason: 'the file is gone' })]);
  });

  it('sends nothing once its owner may not say any more where things of the tenant go', async () => {
    await put(admin, 'lessened', { buckets: [bucket] });
    const _id = reportRowId(tenant.tenant._id, 'lessened');
    const { owner } = (await rows().findOne({ _id }))!;
    await rows().update({ _id }, { $set: { owner: { ...owner, user_id: analyst.user!._id, email: analyst.user!.email } } });
    const before = s3.files.size;
    const run = await fire('lessened');
    expect(run!.files[0]!.puts).toEqual([
      expect.objectContaining({ state: 'FAILED', reason: expect.stringContaining('tenants:write') as string }),
    ]);
    expect(s3.files.size).toBe(before);
  });

  it('says where its files go to those alone who may read integrations', async () => {
    await put(admin, 'seen', { buckets: [bucket] });
    await fire('seen');
    type Listed = { items: { report_id: string; buckets: unknown; last_run: { files: { puts: unknown }[] } }[] };
    const seenBy = async (client: Client) => {
      const { text, body } = await client.call<Listed>('/api/v1/reports');
      const { buckets, last_run } = body.items.find(({ report_id }) => report_id === 'seen')!;
      return { buckets, puts: last_run.files[0]!.puts, named: text.includes(bucket) };
    };
    const told = [expect.objectContaining({ integration_id: bucket, state: 'COMPLETED' })];
    expect(await seenBy(admin)).toEqual({ buckets: [bucket], puts: told, named: true });
    for (const client of [analyst, await tenant.as('viewer')])
      expect(await seenBy(client)).toEqual({ buckets: null, puts: null, named: false });
  });

  it('is for who may write the tenant, and takes buckets of the tenant alone', async () => {
    expect((await put(analyst, 'mine', { buckets: [bucket] })).status).toBe(403);
    const stranger = await (await world.tenant()).as('tenant_admin');
    const theirs = await integrate(stranger, s3.url);
    const mail = await admin.call<{ integration_id: string }>('/api/v1/integrations', {
      body: { kind: 'webhook', name: 'W', settings: { url: s3.url }, credentials: { secret: `whsec_${'A'.repeat(32)}` } },
    });
    const refused = async (id: string) => (await put(admin, 'mine', { buckets: [bucket, id] })).body['detail'];
    const told = [{ path: 'buckets.1', message: 'is no integration of the kind s3' }];
    for (const id of [theirs, 'absent', mail.body.integration_id ?? 'none']) expect(await refused(id)).toEqual(told);
  });

  it('keeps its integration from being removed until it sends elsewhere', async () => {
    const other = await integrate(admin, s3.url);
    await put(admin, 'holding', { buckets: [other] });
    const remove = () => admin.call<{ detail: unknown }>(`/api/v1/integrations/${other}`, { method: 'DELETE' });
    const { status, body } = await remove();
    expect([status, body.detail]).toEqual([409, { reports: ['holding'] }]);
    await put(admin, 'holding', {});
    expect((await remove()).status).toBe(204);
  });
});
