import { feed, type Sample } from '../contract/feeds.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

let world: World;
let tenant: TestTenant;
let client: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  client = await tenant.as('analyst');
});
afterAll(() => world.close());

interface Item {
  engine: string;
  finding_id: string;
  outcome: string;
  status: string | null;
  error_code: string | null;
  message: string | null;
}
interface Bulk {
  dry_run: boolean;
  matched: number;
  changed: number;
  unchanged: number;
  refused: number;
  items: Item[];
  job: { job_id: string; state: string; total: number } | null;
  restrictedEngines: string[];
  message: string;
}
interface Job {
  job_id: string;
  state: string;
  done: number;
  total: number;
  result: { matched: number; changed: number; refused: number };
  error: string | null;
  started_at: string | null;
  completed_at: string | null;
}
interface Listed {
  items: { finding_id: string; resource_uid: string; status: string; assignee: string | null; due_at: string | null; version: number }[];
  total: number;
}

const DUE = '2031-05-01T12:00:00.000Z';
const sample = (n: number, more: Partial<Sample> = {}): Sample => ({
  ...{ rule: 'bucket-public', title: 'A bucket is public', resource: `arn:aws:s3:::bucket-${n}`, name: `bucket-${n}`, severity: 'high' },
  ...{ provider: 'aws', account: '111122223333', region: 'eu-west-1', type: 'aws_s3_bucket', ...more },
});
const samples = (count: number) => Array.from({ length: count }, (_, n) => sample(n + 1));
const report = (list: readonly Sample[], segment = 'check') =>
  feed(client, segment, list, { source: 'scanner', query: { scan_run_id: `${segment}-one` } });
const list = async (prefix = 'check', query = '?page_size=200'): Promise<Listed> =>
  (await client.call<Listed>(`/api/v1/${prefix}/findings${query}`)).body;
const bulk = async (body: Record<string, unknown>, as = client) => as.call<Bulk>('/api/v1/findings/bulk-triage', { body });
const entries = async (query: string) =>
  (
    await (
      await tenant.as('tenant_admin')
    ).call<{ total: number; items: { target: string; detail: Record<string, unknown> }[] }>(`/api/v1/audit-logs?${query}`)
  ).body;
const timeline = async (id: string) =>
  (await client.call<{ items: Record<string, unknown>[] }>(`/api/v1/views/finding/check/${id}/timeline`)).body.items;

describe('assignee and comments', () => {
  const assign = (id: string, body: Record<string, unknown>, headers = {}) =>
    client.call<Record<string, unknown>>(`/api/v1/views/finding/check/${id}/assignee`, { method: 'PATCH', body, headers });

  it('a finding is assigned with a date, starts only when asked, and tells it in its timeline', async () => {
    const one = [sample(1, { severity: 'low' })];
    await report(one);
    const [{ finding_id, version }] = (await list()).items as [Listed['items'][number]];
    const { email } = (await tenant.as('tenant_admin')).user!;
    const first = await assign(finding_id, { assignee: email, due_at: DUE }, { 'if-match': `"${version}"` });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ finding_id, engine: 'check', status: 'OPEN', assignee: email, due_at: DUE, version: version + 1 });
    expect((await list()).items[0]).toMatchObject({ assignee: email, due_at: DUE, status: 'OPEN' });
    expect((await assign(finding_id, { assignee: email, due_at: DUE })).body['version']).toBe(version + 1);
    expect((await assign(finding_id, { assignee: null }, { 'if-match': `"${version}"` })).status).toBe(412);
    expect((await assign(finding_id, { start: true, note: 'mine' })).body).toMatchObject({
      status: 'IN_PROGRESS',
      assignee: email,
      due_at: DUE,
    });
    expect((await assign(finding_id, { assignee: null, due_at: null })).body).toMatchObject({
      assignee: null,
      due_at: null,
      status: 'IN_PROGRESS',
    });
    expect((await timeline(finding_id)).map(({ action, to, assignee, due_at, note }) => [action, to, assignee, due_at, note])).toEqual([
      ['finding.assign', null, null, null, null],
      ['finding.status', 'IN_PROGRESS', null, null, 'mine'],
      ['finding.assign', null, email, DUE, null],
      ['finding.open', 'OPEN', null, null, null],
    ]);
    await report(one);
    expect((await list()).items[0]).toMatchObject({ assignee: null, status: 'IN_PROGRESS' });
  });

  it('nobody from outside, and nobody who may not read the finding, is assigned', async () => {
    await report(samples(1));
    await report([sample(1, { rule: 'CVE-2026-1111' })], 'vulnerability');
    const id = (await list()).items[0]!.finding_id;
    const stranger = await (await world.tenant()).as('analyst');
    const viewer = (await tenant.as('viewer')).user!;
    for (const assignee of [stranger.user!.email, 'nobody@nowhere.example']) expect((await assign(id, { assignee })).status).toBe(422);
    expect((await assign(id, { assignee: viewer._id })).body).toMatchObject({ assignee: viewer.email });
    const [{ finding_id }] = (await list('vulnerability')).items as [Listed['items'][number]];
    const path = `/api/v1/views/finding/vulnerability/${finding_id}/assignee`;
    expect((await client.call(path, { method: 'PATCH', body: { assignee: viewer.email } })).status).toBe(422);
  });

  it('a comment stands in the timeline, and changes nothing', async () => {
    await report(samples(1));
    const { finding_id, version } = (await list()).items[0]!;
    const path = `/api/v1/views/finding/check/${finding_id}/comments`;
    const answer = await client.call(path, { body: { text: ' Looks like ours. ' } });
    expect(answer).toMatchObject({
      status: 201,
      body: { action: 'finding.comment', note: 'Looks like ours.', actor_email: client.user!.email },
    });
    expect((await timeline(finding_id))[0]).toEqual(answer.body);
    expect((await list()).items[0]!.version).toBe(version);
    for (const text of ['', ' ', 'x'.repeat(4_001)]) expect((await client.call(path, { body: { text } })).status).toBe(422);
  });
});

describe('bulk triage', () => {
  it('changes the findings that are named, of every engine, with an entry each, and says why others are not', async () => {
    await report(samples(3));
    await report([sample(1, { rule: 'CVE-2026-1111' })], 'vulnerability');
    const ids = (await list()).items.map(({ finding_id }) => finding_id);
    const other = (await list('vulnerability')).items[0]!.finding_id;
    await bulk({ finding_ids: [ids[0]], status: 'RESOLVED' });
    const named = [ids[0], ids[1], ids[1], `vulnerability/${other}`, `iam/${ids[2]}`, 'f'.repeat(32)];
    const body = { finding_ids: named, status: 'IN_PROGRESS', assignee: client.user!.email, note: 'Sprint 12' };
    const tried = await bulk({ ...body, dry_run: true });
    const done = await bulk(body);
    expect(tried.body).toEqual({ ...done.body, dry_run: true });
    expect(done.body).toMatchObject({ dry_run: false, matched: 5, changed: 2, unchanged: 0, refused: 3, job: null });
    expect(done.body.items.map(({ engine, outcome, status, error_code }) => [engine, outcome, status, error_code])).toEqual([
      ['check', 'refused', null, 'VALIDATION_ERROR'],
      ['check', 'changed', 'IN_PROGRESS', null],
      ['vulnerability', 'changed', 'IN_PROGRESS', null],
      [null, 'refused', null, 'NOT_FOUND'],
      [null, 'refused', null, 'NOT_FOUND'],
    ]);
    expect((await list('check', '?status=IN_PROGRESS')).items).toMatchObject([{ finding_id: ids[1], assignee: client.user!.email }]);
    const told = await entries('action=finding.status');
    expect(told.items.map(({ target }) => target).sort()).toEqual(
      [`finding:check/${ids[0]}`, `finding:check/${ids[1]}`, `finding:vulnerability/${other}`].sort(),
    );
    expect(told.items.filter(({ detail }) => detail['note'] === 'Sprint 12')).toHaveLength(2);
    expect((await bulk({ ...body, finding_ids: [ids[1]], status: undefined, note: undefined })).body).toMatchObject({
      changed: 0,
      unchanged: 1,
    });
  });

  it('all or nothing does nothing where one cannot be done', async () => {
    await report(samples(2));
    const ids = (await list()).items.map(({ finding_id }) => finding_id);
    await bulk({ finding_ids: [ids[0]], status: 'RESOLVED' });
    const refused = await bulk({ finding_ids: ids, status: 'SUPPRESSED', all_or_nothing: true });
    expect(refused.status).toBe(422);
    expect((await list('check', '?status=SUPPRESSED')).total).toBe(0);
    expect((await bulk({ finding_ids: [...ids, 'f'.repeat(32)], due_at: DUE, all_or_nothing: true })).status).toBe(404);
    expect((await bulk({ finding_ids: ids, due_at: DUE, all_or_nothing: true })).body.changed).toBe(2);
  });

  it('a filter selects as lists do, within what the caller may read', async () => {
    await report([sample(1), sample(2, { region: 'us-east-1' }), sample(3, { severity: 'low' })]);
    await report([sample(1, { rule: 'CVE-2026-1111' })], 'vulnerability');
    const { body } = await bulk({
      filter: { region: ['eu-west-1'], severity: ['high', 'critical'] },
      status: 'FALSE_POSITIVE',
      note: 'Tests',
    });
    expect(body).toMatchObject({ matched: 2, changed: 2, refused: 0 });
    expect(body.items.map(({ engine }) => engine).sort()).toEqual(['check', 'vulnerability']);
    expect((await bulk({ filter: { q: 'BUCKET-2' }, due_at: DUE })).body.matched).toBe(1);
    expect((await bulk({ filter: { status: ['FALSE_POSITIVE'], engine: ['check'] }, status: 'OPEN' })).body.matched).toBe(1);
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const admin = await tenant.as('tenant_admin');
    const made = await admin.call<{ key: string }>('/api/v1/api-keys', {
      body: { name: 'k', permissions: ['check:read', 'scans:create'], expires_at },
    });
    const withKey = (sent: unknown) =>
      world.anonymous.call<Bulk>('/api/v1/findings/bulk-triage', { body: sent, headers: { authorization: `Bearer ${made.body.key}` } });
    const every = await withKey({ filter: {}, note: 'Seen' });
    expect(every.body).toMatchObject({ matched: 3, restrictedEngines: expect.arrayContaining(['vulnerability']) });
    expect(await withKey({ filter: { engine: ['vulnerability'] }, note: 'Seen' })).toMatchObject({
      status: 403,
      body: { message: 'Missing permission: vulnerability:read' },
    });
    const closed = (await list('vulnerability', '?status=FALSE_POSITIVE')).items[0]!.finding_id;
    expect((await withKey({ finding_ids: [`vulnerability/${closed}`], note: 'Seen' })).body.items).toMatchObject([
      { outcome: 'refused', error_code: 'FORBIDDEN' },
    ]);
    expect((await withKey({ finding_ids: [closed], note: 'Seen' })).body.items).toMatchObject([
      { outcome: 'refused', error_code: 'NOT_FOUND' },
    ]);
  });

  it.each([
    ['neither ids nor a filter', { note: 'x' }],
    ['ids and a filter', { finding_ids: [], filter: {}, note: 'x' }],
    ['nothing to do', { filter: {} }],
    ['too many ids', { finding_ids: Array.from({ length: 1_001 }, (_, n) => String(n)), note: 'x' }],
    ['an engine that there is not', { filter: { engine: ['nothing'] }, note: 'x' }],
  ])('refuses %s', async (_what, body) => {
    expect((await bulk(body)).status).toBe(422);
  });

  it('knows nothing of the findings of another tenant', async () => {
    await report(samples(1));
    const id = (await list()).items[0]!.finding_id;
    const stranger = await (await world.tenant()).as('analyst');
    const { body } = await bulk({ finding_ids: [id, `check/${id}`], status: 'RESOLVED' }, stranger);
    expect(body.items.map(({ outcome, error_code }) => [outcome, error_code])).toEqual(Array(2).fill(['refused', 'NOT_FOUND']));
    expect((await bulk({ filter: {}, status: 'RESOLVED' }, stranger)).body.matched).toBe(0);
    expect((await list()).items[0]!.status).toBe('OPEN');
  });
});

describe('a job', () => {
  const read = async (id: string, as = client) => as.call<Job>(`/api/v1/jobs/${id}`);
  const finished = async (id: string): Promise<Job> => {
    for (;;) {
      const { body } = await read(id);
      if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(body.state)) return body;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('triages more than a thousand findings, each once, and is seen by whoever may read what it tells', async () => {
    await report(samples(1_300));
    const { status, body } = await bulk({ filter: { engine: ['check'] }, status: 'SUPPRESSED', note: 'All of it' });
    expect({ status, ...body }).toMatchObject({ status: 200, matched: 1_300, items: [], job: { total: 1_300 } });
    const id = body.job!.job_id;
    const done = await finished(id);
    expect(done).toMatchObject({ state: 'COMPLETED', done: 1_300, result: { matched: 1_300, changed: 1_300, refused: 0 }, error: null });
    expect(done.started_at! <= done.completed_at!).toBe(true);
    expect((await list('check', '?status=SUPPRESSED')).total).toBe(1_300);
    expect((await list()).total).toBe(0);
    expect((await entries('action=finding.suppress')).total).toBe(1_300);
    expect((await read(id, await tenant.as('viewer'))).status).toBe(200);
    expect((await read(id, await (await world.tenant()).as('tenant_admin'))).status).toBe(404);
    const again = await client.call(`/api/v1/jobs/${id}`, { method: 'DELETE' });
    expect(again.status).toBe(409);
    expect((await bulk({ filter: { status: ['SUPPRESSED'] }, status: 'OPEN', all_or_nothing: true })).status).toBe(422);
  });
});
