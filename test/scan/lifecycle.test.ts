import { FINDING_STATUSES, MANUAL_MOVES, type FindingStatus } from '../../schema/model.js';
import { bucket, ocsf, sarif, trivy } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';

interface Item {
  finding_id: string;
  rule_id: string;
  status: FindingStatus;
  version: number;
  first_seen_at: string;
  last_seen_at: string;
  regressed_at: string | null;
  scan_run_id: string;
  severity: string;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const analyst = async () => (await world.tenant()).as('analyst');
const list = async (client: Client, query = '', engine = 'check') =>
  (await client.call<{ items: Item[]; total: number }>(`/api/v1/${engine}/findings?${query}`)).body;
const move = (client: Client, id: string, status: string, headers: Record<string, string> = {}) =>
  client.call<{ status: string; version: number; detail: { message: string }[] }>(`/api/v1/views/finding/check/${id}/status`, {
    method: 'PATCH',
    body: { status, note: 'because' },
    headers,
  });
const one = async (client: Client, query = '') => {
  const { items } = await list(client, query);
  expect(items).toHaveLength(1);
  return items[0]!;
};
const ALL = `status=${FINDING_STATUSES.join(',')}`;

const A = { rule: 'rule_a', resource: bucket('a') };
const B = { rule: 'rule_b', resource: bucket('b') };

describe('a run', () => {
  it('opens what is new and moves on what it sees again, under the same ids', async () => {
    const client = await analyst();
    const first = await client.import(ocsf([A, B]), { scan_run_id: 'one' });
    expect(first).toMatchObject({
      state: 'COMPLETED',
      total_findings: 2,
      counts: { records: 2, skipped: 0, new: 2, updated: 0, resolved: 0, regressed: 0 },
    });
    const before = await list(client);
    const second = await client.import(ocsf([A, B]), { scan_run_id: 'two' });
    expect(second.counts).toMatchObject({ new: 0, updated: 2, resolved: 0, regressed: 0 });
    const after = await list(client);
    expect(after.items.map((item) => item.finding_id).sort()).toEqual(before.items.map((item) => item.finding_id).sort());
    for (const item of after.items) {
      const old = before.items.find(({ finding_id }) => finding_id === item.finding_id)!;
      expect(item).toMatchObject({ status: 'OPEN', scan_run_id: 'two', first_seen_at: old.first_seen_at });
      expect(item.last_seen_at > old.last_seen_at).toBe(true);
    }
  });

  it('resolves what lies in its completed scope and is not seen, and reopens what comes back', async () => {
    const client = await analyst();
    await client.import(ocsf([A, B]));
    expect((await client.import(ocsf([A]))).counts).toMatchObject({ updated: 1, resolved: 1 });
    const resolved = await one(client, 'status=RESOLVED');
    expect(resolved.rule_id).toBe('rule_b');
    expect((await client.import(ocsf([A, B]))).counts).toMatchObject({ updated: 1, regressed: 1, new: 0 });
    const back = await one(client, 'rule_id=rule_b');
    expect(back).toMatchObject({ status: 'OPEN', first_seen_at: resolved.first_seen_at });
    expect(back.regressed_at).not.toBeNull();
  });

  it('leaves findings of other accounts, artifacts and scanners alone', async () => {
    const client = await analyst();
    await client.import(ocsf([A, { ...B, account: '999999999999' }]));
    await client.import(ocsf([A]));
    expect((await list(client, ALL)).items.every(({ status }) => status === 'OPEN')).toBe(true);

    const x = { rule: 'x', file: 'a.py', line: 1 };
    const y = { rule: 'y', file: 'b.py', line: 2 };
    await client.import(sarif('semgrep', [x, y]), { artifact: 'repo-one' });
    await client.import(sarif('codeql', [{ rule: 'z', file: 'a.py', line: 1 }]), { artifact: 'repo-one' });
    await client.import(sarif('semgrep', [x]), { artifact: 'repo-two' });
    expect((await list(client, 'status=OPEN', 'secops')).total).toBe((await list(client, ALL, 'secops')).total);
    expect((await client.import(sarif('semgrep', [x]), { artifact: 'repo-one' })).counts.resolved).toBe(1);

    await client.import(trivy('registry.example/app:1', [{ id: 'CVE-2024-0001', pkg: 'a' }]));
    await client.import(trivy('registry.example/other:1', []));
    expect((await list(client, '', 'vulnerability')).total).toBe(1);
    expect((await client.import(trivy('registry.example/app:1', []))).counts.resolved).toBe(1);
  });

  it('closes by a PASS, which opens nothing', async () => {
    const client = await analyst();
    await client.import(ocsf([A, B]));
    const run = await client.import(ocsf([{ ...A, status: 'PASS' }, { rule: 'rule_c', resource: bucket('c'), status: 'PASS' }, B]));
    expect(run.counts).toMatchObject({ records: 3, new: 0, resolved: 1 });
    expect((await one(client, 'status=RESOLVED')).rule_id).toBe('rule_a');
    expect((await list(client, ALL)).total).toBe(2);
  });

  it('resolves nothing when it is partial, not even by a PASS', async () => {
    const client = await analyst();
    await client.import(ocsf([A, B]));
    const broken = { ...ocsf([A])[0], finding_info: null, metadata: null };
    const run = await client.import([...ocsf([{ ...A, status: 'PASS' }]), broken]);
    expect(run).toMatchObject({ state: 'PARTIAL', counts: { records: 1, skipped: 1, resolved: 0 } });
    expect(run.errors[0]).toMatchObject({ position: expect.stringContaining('1') as string });
    expect((await list(client, 'status=OPEN')).total).toBe(2);
  });

  it('keeps what a person has suppressed or judged, and moves its last_seen_at', async () => {
    const client = await analyst();
    await client.import(ocsf([A, B]));
    const { items } = await list(client);
    await move(client, items[0]!.finding_id, 'SUPPRESSED');
    await move(client, items[1]!.finding_id, 'FALSE_POSITIVE');
    await client.import(ocsf([A, B]));
    const after = (await list(client, ALL)).items;
    expect(after.map(({ status }) => status).sort()).toEqual(['FALSE_POSITIVE', 'SUPPRESSED']);
    for (const item of after)
      expect(item.last_seen_at > items.find(({ finding_id }) => finding_id === item.finding_id)!.last_seen_at).toBe(true);
    // not seen at all: they stay, too
    await client.import(ocsf([{ rule: 'rule_c', resource: bucket('c') }]));
    expect((await list(client, 'status=SUPPRESSED,FALSE_POSITIVE')).total).toBe(2);
  });

  it('is made once under one id, also by ten clients at once', async () => {
    const client = await analyst();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        client.call<{ scan_run_id: string }>('/api/v1/scans/imports?scan_run_id=same', { raw: JSON.stringify(ocsf([A])) }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const run = await client.finished('same');
    expect(run.counts).toMatchObject({ records: 1, new: 1, updated: 0 });
    expect((await client.call<{ total: number }>('/api/v1/scan-runs')).body.total).toBe(1);
    const other = await client.call<{ detail: unknown }>('/api/v1/scans/imports?scan_run_id=same', { raw: JSON.stringify(ocsf([A, B])) });
    expect(other).toMatchObject({ status: 409, body: { detail: { scan_run_id: 'same', state: 'COMPLETED' } } });
    expect((await list(client)).total).toBe(1);
  });

  it('computes the severity of a vulnerability from CVSS', async () => {
    const client = await analyst();
    await client.import(trivy('app:1', [{ id: 'CVE-2024-0001', pkg: 'a', severity: 'LOW', cvss: 9.8 }]));
    expect((await list(client, '', 'vulnerability')).items[0]!.severity).toBe('critical');
  });
});

describe('a manual move', () => {
  const MOVES = FINDING_STATUSES.flatMap((from) => FINDING_STATUSES.map((to) => [from, to, MANUAL_MOVES[from].includes(to)] as const));
  const way: Record<FindingStatus, FindingStatus[]> = {
    OPEN: [],
    IN_PROGRESS: ['IN_PROGRESS'],
    RESOLVED: ['RESOLVED'],
    SUPPRESSED: ['SUPPRESSED'],
    FALSE_POSITIVE: ['FALSE_POSITIVE'],
  };

  it.each(MOVES)('%s -> %s: %s', async (from, to, allowed) => {
    const client = await analyst();
    await client.import(ocsf([A]));
    const { finding_id } = await one(client);
    for (const status of way[from]) expect((await move(client, finding_id, status)).status).toBe(200);
    const { status, body } = await move(client, finding_id, to);
    if (allowed)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { status: to, previous_status: from, note: 'because', engine: 'check', finding_id },
      });
    else {
      expect(status).toBe(422);
      expect(body.detail[0]!.message).toContain(`from ${from} to ${to}`);
      for (const other of MANUAL_MOVES[from]) expect(body.detail[0]!.message).toContain(other);
    }
    expect((await one(client, ALL)).status).toBe(allowed ? to : from);
  });

  it('is guarded by If-Match', async () => {
    const client = await analyst();
    await client.import(ocsf([A]));
    const { finding_id, version } = await one(client);
    expect((await move(client, finding_id, 'IN_PROGRESS', { 'if-match': `"${version + 1}"` })).status).toBe(412);
    expect((await move(client, finding_id, 'IN_PROGRESS', { 'if-match': `"${version}"` })).body.version).toBe(version + 1);
    expect((await move(client, finding_id, 'RESOLVED', { 'if-match': `"${version}"` })).status).toBe(412);
  });

  it('lets one of two clients at once win', async () => {
    const client = await analyst();
    await client.import(ocsf([A]));
    const { finding_id, version } = await one(client);
    const answers = await Promise.all(
      ['IN_PROGRESS', 'RESOLVED', 'SUPPRESSED', 'FALSE_POSITIVE'].map((status) =>
        move(client, finding_id, status, { 'if-match': String(version) }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });

  it('writes one audit entry and one event of the timeline', async () => {
    const { as } = await world.tenant();
    const [client, admin] = [await as('analyst'), await as('tenant_admin')];
    await client.import(ocsf([A]), { scan_run_id: 'first' });
    const { finding_id } = await one(client);
    await move(client, finding_id, 'RESOLVED');
    const { body } = await admin.call<{ items: Record<string, unknown>[]; total: number }>('/api/v1/audit-logs?action=finding.status');
    expect(body).toMatchObject({
      total: 1,
      items: [
        {
          actor_email: client.user!.email,
          role: 'analyst',
          result: 'success',
          target: `finding:check/${finding_id}`,
          detail: { from: 'OPEN', to: 'RESOLVED', note: 'because' },
        },
      ],
    });
    const timeline = await client.call<{ items: Record<string, unknown>[] }>(`/api/v1/views/finding/check/${finding_id}/timeline`);
    expect(timeline.body.items).toMatchObject([
      { action: 'finding.status', from: 'OPEN', to: 'RESOLVED', note: 'because', actor_email: client.user!.email },
      { action: 'finding.open', from: null, to: 'OPEN', scan_run_id: 'first', actor_email: 'system' },
    ]);
  });
});
