import type { AuditInput } from '../../kit/audit/entry.js';
import { bucket, ocsf } from '../support/reports.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

interface Entry {
  seq: number;
  timestamp: string;
  actor_email: string;
  action: string;
  target: string | null;
  target_email: string | null;
  role: string | null;
  ip_address: string | null;
  result: string;
  detail: Record<string, unknown> | null;
}
interface Listed {
  items: Entry[];
  total: number;
  has_more: boolean;
}

let world: World;
let tenant: TestTenant;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
  tenant = await world.tenant();
  admin = await tenant.as('tenant_admin');
});
afterAll(() => world.close());

const list = async (query: string) => (await admin.call<Listed>(`/api/v1/audit-logs?${query}`)).body;

describe('the audit log', () => {
  const ACTIONS = ['user.login', 'user.logout', 'scan.trigger', 'finding.status'] as const;
  const ACTORS = ['ann@test.example', 'bob@test.example', 'system'];
  const TARGETS = ['user:1', 'scan_run:a,b', 'finding:check/0'];
  const start = Date.parse('2020-02-01T00:00:00.000Z');
  const entries = Array.from({ length: 120 }, (_, n): AuditInput & { timestamp: Date } => ({
    action: ACTIONS[n % ACTIONS.length]!,
    actor_email: ACTORS[n % ACTORS.length]!,
    target: TARGETS[Math.floor(n / 7) % TARGETS.length],
    result: n % 5 === 0 ? 'failure' : 'success',
    timestamp: new Date(start + n * 86_400_000 * 17),
  }));
  beforeAll(() =>
    world.database.transaction(async (transaction) => {
      for (const { timestamp, ...entry } of entries)
        await world.auth.parts.audit.append(transaction, tenant.tenant._id, timestamp, [entry]);
    }),
  );

  const at = (n: number) => entries[n]!.timestamp.toISOString();
  type Model = (entry: (typeof entries)[number]) => boolean;
  const within =
    (after: number, before: number): Model =>
    ({ timestamp }) =>
      timestamp > entries[after]!.timestamp && timestamp < entries[before]!.timestamp;
  const cases: [string, Model][] = [
    ['action=user.login', ({ action }) => action === 'user.login'],
    ['action=user.login,scan.trigger', ({ action }) => ['user.login', 'scan.trigger'].includes(action)],
    ['action=user.login&action=scan.trigger', ({ action }) => ['user.login', 'scan.trigger'].includes(action)],
    ['actor=ann@test.example', ({ actor_email }) => actor_email === 'ann@test.example'],
    ['actor=ann%40test.example,system', ({ actor_email }) => actor_email !== 'bob@test.example'],
    ['target=user:1&target=finding:check/0', ({ target }) => target !== 'scan_run:a,b'],
    ['result=failure', ({ result }) => result === 'failure'],
    [`after=${at(3)}&before=${at(60)}`, within(3, 60)],
    [
      `action=user.login,user.logout&actor=system&result=success&after=${at(3)}&before=${at(100)}`,
      (entry) =>
        within(3, 100)(entry) &&
        ['user.login', 'user.logout'].includes(entry.action) &&
        entry.actor_email === 'system' &&
        entry.result === 'success',
    ],
    ['action=apikey.create', () => false],
    [`after=${at(119)}&before=${at(0)}`, () => false],
  ];

  it.each(cases)('lists exactly what %s selects, over years, with an exact total on every page', async (query, model) => {
    const own = `${query}${query.includes('before=') ? '' : `&before=${new Date(start + 120 * 17 * 86_400_000).toISOString()}`}`;
    const expected = entries.flatMap((entry, index) => (model(entry) ? [index] : [])).reverse();
    const pages = Math.ceil(expected.length / 20) || 1;
    const found: number[] = [];
    for (let page = 1; page <= pages; page++) {
      const { items, total, has_more } = await list(`${own}&page=${page}&page_size=20`);
      expect([total, has_more]).toEqual([expected.length, page < pages]);
      found.push(...items.map(({ timestamp }) => (Date.parse(timestamp) - start) / (86_400_000 * 17)));
    }
    expect(found).toEqual(expected);
  });
});

describe('an action', () => {
  it('leaves an entry with who, as what, from where, to whom and with what result', async () => {
    const fresh = await world.tenant();
    const client = await fresh.as('tenant_admin');
    const viewer = await fresh.as('viewer');
    await client.call(`/api/v1/users/${viewer.user!._id}/role`, { method: 'PATCH', body: { role: 'analyst' } });
    await client.call(`/api/v1/tenants/${fresh.tenant._id}`, { method: 'PATCH', body: { name: 'Other' } });
    await client.import(ocsf([{ rule: 'a', resource: bucket('a') }]), { scan_run_id: 'run' });
    const { body: findings } = await client.call<{ items: { finding_id: string }[] }>('/api/v1/check/findings');
    const id = findings.items[0]!.finding_id;
    await client.call(`/api/v1/views/finding/check/${id}/status`, { method: 'PATCH', body: { status: 'SUPPRESSED', note: 'accepted' } });
    const { items } = (await client.call<Listed>('/api/v1/audit-logs')).body;
    const entry = (action: string) => items.find((one) => one.action === action);
    const by = { actor_email: client.user!.email, ip_address: '127.0.0.1', result: 'success' };
    expect(entry('role.change')).toMatchObject({ ...by, target_email: viewer.user!.email, role: 'analyst' });
    expect(entry('tenant.update')).toMatchObject({ ...by, role: 'tenant_admin', target: `tenant:${fresh.tenant._id}` });
    expect(entry('scan.trigger')).toMatchObject({ ...by, role: 'tenant_admin', target: 'scan_run:run' });
    expect(entry('finding.open')).toMatchObject({ actor_email: 'system', target: `finding:check/${id}`, role: null, ip_address: null });
    expect(entry('finding.suppress')).toMatchObject({ ...by, detail: { from: 'OPEN', to: 'SUPPRESSED', note: 'accepted' } });
    expect(entry('scan.complete')).toMatchObject({
      actor_email: 'system',
      role: null,
      target: 'scan_run:run',
      result: 'success',
      detail: { state: 'COMPLETED', counts: { records: 1, new: 1 }, total_findings: 1 },
    });
    await client.call('/api/auth/logout', { method: 'POST' });
    const { items: later } = (await (await fresh.as('org_admin')).call<Listed>('/api/v1/audit-logs?action=user.logout')).body;
    expect(later[0]).toMatchObject({ ...by, role: 'tenant_admin', target: `user:${client.user!._id}` });
  });

  it('of a run that does not complete is noted once, with the state', async () => {
    const fresh = await world.tenant();
    const client = await fresh.as('tenant_admin');
    const run = await client.import('{"findings": [', { format: 'ocsf', scan_run_id: 'broken' });
    const { items } = (await client.call<Listed>('/api/v1/audit-logs?action=scan.complete')).body;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ result: run.state === 'FAILED' ? 'failure' : 'success', detail: { state: run.state } });
  });
});
