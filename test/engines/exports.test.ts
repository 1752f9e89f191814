import { createHash, randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { auditLog } from '../../kit/audit/audit.js';
import { createLogger } from '../../kit/base/logger.js';
import type { AuthContext } from '../../kit/base/auth-context.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { NEVER_LEASED } from '../../kit/work/due.js';
import { jobs } from '../../kit/work/jobs.js';
import { systemClock } from '../../kit/base/clock.js';
import { expireExports } from '../../subgraphs/reporting/exports/expire.js';
import { exportPieces, exportsMade, pieceId } from '../../subgraphs/reporting/exports/records.js';
import { feed, type Sample } from '../contract/feeds.js';
import { authOf } from '../gateway/support-engines.js';
import { breachesOf } from '../reporting/official-schemas.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

interface Export extends Record<string, unknown> {
  export_id: string;
  state: string;
  rows: number | null;
  sha256: string | null;
  size: number | null;
  reason: string | null;
}

let world: World;
let tenant: TestTenant;
let admin: Client;
let analyst: Client;
let viewer: Client;

const sample = (n: number, title: string): Sample => ({
  ...{ rule: `rule_${n}`, title, resource: `arn:aws:s3:::bucket-${n}`, name: `bucket-${n}`, severity: n % 2 === 0 ? 'high' : 'low' },
  ...{ provider: 'aws', account: '111122223333', region: 'eu-west-1', type: 'aws_s3_bucket' },
});

beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  [admin, analyst, viewer] = [await tenant.as('tenant_admin'), await tenant.as('analyst'), await tenant.as('viewer')];
  await feed(admin, 'check', [sample(1, 'Public, "quoted"'), sample(2, '=1+1'), sample(3, 'Third')], { source: 'scanner' });
  await feed(admin, 'vulnerability', [{ ...sample(4, 'A flaw'), rule: 'CVE-2030-12345' }], { source: 'scanner' });
});
afterAll(() => world.close());

const ask = (client: Client, body: object) => client.call<{ job_id: string; state: string }>('/api/v1/exports', { body });

async function finished(client: Client, id: string): Promise<Export> {
  for (;;) {
    const { status, body, text } = await client.call<Export>(`/api/v1/exports/${id}`);
    if (status !== 200) throw new Error(text);
    if (!['QUEUED', 'RUNNING', 'CANCELLING'].includes(body.state)) return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function exported(client: Client, body: object): Promise<{ made: Export; file: Buffer; headers: Headers }> {
  const { status, body: job, text } = await ask(client, body);
  if (status !== 202) throw new Error(`${status} ${text}`);
  const made = await finished(client, job.job_id);
  if (made.state !== 'COMPLETED') throw new Error(JSON.stringify(made));
  const response = await fetch(`${client.base}/api/v1/exports/${job.job_id}/download`, { headers: { cookie: client.cookie! } });
  if (response.status !== 200) throw new Error(await response.text());
  return { made, file: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}
const csvRows = (file: Buffer) => parse(file.toString(), { columns: true }) as Record<string, string>[];

describe('a file of findings', () => {
  it('holds what their list has, over engines, with its digest, and no formula', async () => {
    const { made, file, headers } = await exported(analyst, { format: 'csv', findings: { account_id: ['111122223333'] } });
    const listed = await analyst.call<{ items: { finding_id: string }[] }>('/api/v1/findings?account_id=111122223333');
    const rows = csvRows(file);
    expect(rows.map((row) => row['finding_id']).sort()).toEqual(listed.body.items.map(({ finding_id }) => finding_id).sort());
    expect(new Set(rows.map((row) => row['engine']))).toEqual(new Set(['check', 'vulnerability']));
    expect(rows.map((row) => row['title'])).toContain("'=1+1");
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect(made).toMatchObject({ rows: 4, sha256, size: file.length, created_by: analyst.user!.email });
    expect(headers.get('repr-digest')).toBe(`sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="findings-\d{4}-\d\d-\d\d-[0-9a-f]{8}\.csv"$/);
  });

  it('holds of the list what the filter selects, in the order that is asked for', async () => {
    const { file } = await exported(admin, { format: 'jsonl', findings: { engine: ['check'], severity: ['low'], sort: 'risk_score' } });
    const rows = file
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(rows.map(({ severity, engine }) => [severity, engine])).toEqual([
      ['low', 'check'],
      ['low', 'check'],
    ]);
    for (const name of ['_id', 'tenant_id', 'severity_rank', 'due_rank']) expect(rows.every((row) => !(name in row))).toBe(true);
  });

  it.each(['severity', 'risk_score', 'last_seen_at', 'first_seen_at', 'due_at'].flatMap((sort) => [sort, `-${sort}`]))(
    'is in the order of the list over engines by %s',
    async (sort) => {
      const { file } = await exported(admin, { format: 'csv', findings: { engine: ['check', 'vulnerability'], sort } });
      const { body } = await admin.call<{ items: { finding_id: string }[] }>(`/api/v1/findings?engine=check,vulnerability&sort=${sort}`);
      expect(csvRows(file).map((row) => row['finding_id'])).toEqual(body.items.map(({ finding_id }) => finding_id));
    },
  );

  it('is one JSON array of what JSON lines hold a line each, and an empty one of nothing', async () => {
    const findings = { engine: ['check', 'vulnerability'], sort: 'risk_score' };
    const [whole, lines, nothing] = [
      await exported(admin, { format: 'json', findings }),
      await exported(admin, { format: 'jsonl', findings }),
      await exported(admin, { format: 'json', findings: { rule_id: ['none'] } }),
    ];
    const rows = lines.file
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(rows).toHaveLength(4);
    expect(JSON.parse(whole.file.toString())).toEqual(rows);
    expect(JSON.parse(nothing.file.toString())).toEqual([]);
    expect(whole.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it.each(['xlsx', 'ocsf', 'sarif', 'vex'])('is made as %s', async (format) => {
    const { made, file } = await exported(admin, { format, findings: {} });
    expect(made.rows).toBe(format === 'vex' ? 1 : 4);
    if (format === 'xlsx') expect(file.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
    else {
      expect(file.toString()).toContain('arn:aws:s3:::bucket-4');
      expect(breachesOf(format as 'ocsf', file.toString())).toEqual([]);
    }
  });

  it('is asked for by nobody who may not write reports', async () => {
    const { status, text } = await ask(viewer, { format: 'csv', findings: {} });
    expect([status, text]).toEqual([403, expect.stringContaining('reports:write')]);
  });
});

describe('files of other things', () => {
  it('are those of assets, of a framework, and of the audit log', async () => {
    const assets = await exported(analyst, { format: 'csv', assets: { q: 'bucket-1' } });
    expect(csvRows(assets.file)).toEqual([expect.objectContaining({ resource_uid: 'arn:aws:s3:::bucket-1', open_findings: '1' })]);
    const framework = { framework_id: 'cis_aws_1_4_0' };
    const controls = await exported(analyst, { format: 'csv', framework });
    const listed = await analyst.call<{ total: number }>('/api/v1/compliance/framework/cis_aws_1_4_0/controls?page_size=1');
    expect(csvRows(controls.file)).toHaveLength(listed.body.total);
    const oscal = await exported(analyst, { format: 'oscal', framework });
    expect(JSON.parse(oscal.file.toString())).toHaveProperty('assessment-results.metadata.oscal-version', '1.1.2');
    for (const body of [{ framework }, { assets: {} }, { findings: {} }]) {
      const { made, file, headers } = await exported(analyst, { format: 'pdf', ...body });
      expect([headers.get('content-type'), file.subarray(0, 8).toString(), made.rows! > 0]).toEqual(['application/pdf', '%PDF-1.7', true]);
    }
    const log = await exported(admin, { format: 'ocsf', audit_log: { action: ['export.create', 'score.export'] } });
    expect(log.file.toString()).toContain('"activity_name":"score.export"');
    expect(breachesOf('ocsf', log.file.toString())).toEqual([]);
  });

  it('need what their lists need', async () => {
    const { status, text } = await ask(analyst, { format: 'csv', audit_log: {} });
    expect([status, text]).toEqual([403, expect.stringContaining('tenants:read')]);
  });
});

describe('what is wrong with a request', () => {
  it.each([
    ['no subject', { format: 'csv' }, ''],
    ['two subjects', { format: 'csv', findings: {}, assets: {} }, ''],
    ['a format of other subjects', { format: 'sarif', assets: {} }, 'format'],
    ['a document of the audit log', { format: 'pdf', audit_log: {} }, 'format'],
    ['an engine that there is not', { format: 'csv', findings: { engine: ['nothing'] } }, 'findings.engine'],
    ['an order that there is not', { format: 'csv', findings: { sort: 'colour' } }, 'findings.sort'],
    ['an environment that there is not', { format: 'csv', findings: { environment: ['moon'] } }, 'findings'],
    ['an exposure that there is not', { format: 'csv', assets: { exposure: ['moon'] } }, 'assets.exposure.0'],
    ['a framework that there is not', { format: 'csv', framework: { framework_id: 'absent' } }, 'framework.framework_id'],
  ])('is told: %s', async (_what, body, path) => {
    const answer = await ask(admin, body);
    expect([answer.status, answer.body]).toEqual([422, expect.objectContaining({ detail: [expect.objectContaining({ path })] })]);
  });
});

describe('whoever asks for a file', () => {
  it('must hold what it takes to read all of it, and each download is noted', async () => {
    const all = await exported(analyst, { format: 'csv', findings: {} });
    const ofCheck = await exported(analyst, { format: 'csv', findings: { engine: ['check'] } });
    for (const part of ['', '/download']) {
      const refused = await viewer.call(`/api/v1/exports/${all.made.export_id}${part}`);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('Missing permission')]);
      expect((await viewer.call(`/api/v1/exports/${ofCheck.made.export_id}${part}`)).status).toBe(200);
    }
    const piece = `query($id: ID!) { export_piece(id: $id, number: 0) }`;
    expect((await viewer.graphql(piece, { id: all.made.export_id })).errors![0]!.extensions.code).toBe('FORBIDDEN');
    const noted = await world.database
      .tenant(tenant.tenant._id)
      .collection(auditLog)
      .find({ action: 'export.download', actor_email: viewer.user!.email });
    expect(noted.map(({ target }) => target)).toEqual([`export:${ofCheck.made.export_id}`]);
  });

  it('of another tenant gets the same answer as for one that there is not', async () => {
    const { made } = await exported(analyst, { format: 'csv', findings: { engine: ['check'] } });
    const stranger = await (await world.tenant()).as('tenant_admin');
    for (const part of ['', '/download']) {
      const [theirs, absent] = await Promise.all([made.export_id, randomUUID()].map((id) => stranger.call(`/api/v1/exports/${id}${part}`)));
      expect([theirs!.status, theirs!.text]).toEqual([404, absent!.text]);
    }
  });
});

/** An export with its job, as if it had been asked for by somebody with these rights. */
async function addWaiting(auth: AuthContext, more: object = {}): Promise<string> {
  const id = randomUUID();
  const rows = world.database.tenant(auth.tenant_id);
  const now = new Date();
  await rows.collection(exportPieces).insert({
    _id: pieceId(id, 0),
    tenant_id: auth.tenant_id,
    export_id: id,
    number: 0,
    bytes: Buffer.from('of an earlier try'),
    packed: false,
  });
  await rows.collection(exportsMade).insert({
    ...{ _id: id, tenant_id: auth.tenant_id, subject: 'findings', format: 'csv', filter: {}, engines: ['check', 'vulnerability'] },
    ...{
      permissions: ['check:read', 'vulnerability:read'],
      title: 'Findings',
      owner_id: auth.user_id,
      created_by: auth.email,
      report_id: null,
    },
    ...{
      state: 'writing',
      reason: null,
      rows: 0,
      size: 0,
      sha256: null,
      pieces: 0,
      notes: {},
      created_at: now,
      completed_at: null,
      expires_at: null,
    },
    ...NEVER_LEASED,
    due_at: new Date(now.getTime() + 3_600_000),
    ...more,
  });
  await rows.collection(jobs).insert({
    ...{ _id: id, tenant_id: auth.tenant_id, kind: 'reporting.export', payload: { export_id: id }, auth, state: 'queued', attempts: 0 },
    ...{ due_at: now, ...NEVER_LEASED, error: null, created_at: now, readers: ['check:read'], done: 0, total: null },
  });
  return id;
}
const piecesOf = (id: string) => world.database.tenant(tenant.tenant._id).collection(exportPieces).count({ export_id: id });
const ownerOf = (client: Client) =>
  authOf('analyst', { tenant_id: tenant.tenant._id, user_id: client.user!._id, email: client.user!.email });

describe('an export', () => {
  it('begins anew after a try that ended in the middle, and has no row twice', async () => {
    const id = await addWaiting(ownerOf(analyst));
    const made = await finished(analyst, id);
    expect([made.state, made.rows, await piecesOf(id)]).toEqual(['COMPLETED', 4, 1]);
    expect((await analyst.call(`/api/v1/exports/${id}/download`)).text).not.toContain('an earlier try');
  });

  it('ends when its owner may not read all of it any more, and nothing of it stays', async () => {
    // whoever is a viewer now asked for it as an analyst
    const id = await addWaiting(ownerOf(viewer));
    const made = await finished(admin, id);
    expect(made).toMatchObject({
      state: 'FAILED',
      reason: expect.stringMatching(/lacks the permission (reports:write|vulnerability:read) now/) as string,
    });
    expect(await piecesOf(id)).toBe(0);
  });

  it('expires: the file is gone, then it is told so, and its bytes are removed', async () => {
    const { made } = await exported(admin, { format: 'csv', findings: {} });
    const past = new Date(Date.now() - 1_000);
    await world.database
      .tenant(tenant.tenant._id)
      .collection(exportsMade)
      .update({ _id: made.export_id }, { $set: { expires_at: past, due_at: past } });
    expect((await admin.call(`/api/v1/exports/${made.export_id}/download`)).status).toBe(410);
    const stopping = new AbortController();
    const services = { database: world.database, storeClock: systemClock, logger: createLogger('silent') } as unknown as EngineServices;
    const running = expireExports.run(services, stopping.signal);
    while ((await piecesOf(made.export_id)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    stopping.abort();
    await running;
    expect((await finished(admin, made.export_id)).state).toBe('EXPIRED');
  });
});
