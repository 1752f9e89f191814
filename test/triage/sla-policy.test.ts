import { feed, type Sample } from '../contract/feeds.js';
import { openWorld, type Client, type TestTenant, type World } from '../support/world.js';

const DAY = 86_400_000;

let world: World;
let tenant: TestTenant;
let client: Client;
let admin: Client;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  tenant = await world.tenant();
  [client, admin] = [await tenant.as('analyst'), await tenant.as('tenant_admin')];
});
afterAll(() => world.close());

interface Policy {
  windows: Record<string, number | null>;
  breaches: Record<string, number>;
  breaches_by_engine: { engine: string; overdue: number }[];
  due_soon: Record<string, number>;
  updated_by: string | null;
  applying: boolean;
  restrictedEngines: string[];
}
interface Listed {
  items: { finding_id: string; severity: string; due_at: string | null; first_seen_at: string; version: number }[];
}

const sample = (severity: Sample['severity'], rule = severity as string): Sample => ({
  ...{ rule, title: rule, resource: 'arn:aws:s3:::bucket', name: 'bucket', severity, provider: 'aws' },
  ...{ account: '111122223333', region: 'eu-west-1', type: 'aws_s3_bucket' },
});
const report = (list: readonly Sample[], daysAgo: number, segment = 'check') =>
  feed(client, segment, list, {
    source: 'scanner',
    query: { scan_run_id: `${segment}-${daysAgo}`, observed_at: new Date(Date.now() - daysAgo * DAY).toISOString() },
  });
const policy = async (as = client): Promise<Policy> => (await as.call<Policy>('/api/v1/sla-policy')).body;
const set = (windows: Record<string, unknown>, as = admin) => as.call<Policy>('/api/v1/sla-policy', { method: 'PUT', body: { windows } });
/** Severity -> days from the first sighting until it is due. */
const windows = async () =>
  Object.fromEntries(
    (await client.call<Listed>('/api/v1/check/findings')).body.items.map(({ severity, due_at, first_seen_at }) => [
      severity,
      due_at === null ? null : (Date.parse(due_at) - Date.parse(first_seen_at)) / DAY,
    ]),
  );

const ALL = ['critical', 'high', 'medium', 'low', 'info'] as const;

it('findings are due by the usual windows until the tenant has its own, and what is overdue is counted', async () => {
  await report(
    ALL.map((severity) => sample(severity)),
    10,
  );
  expect(await windows()).toEqual({ critical: 7, high: 30, medium: 90, low: null, info: null });
  expect(await policy()).toMatchObject({ windows: { critical: 7, high: 30, medium: 90, low: null, info: null }, updated_by: null });
  expect((await policy()).breaches).toEqual({ critical: 1, high: 0, medium: 0, low: 0, info: 0 });

  const { status, body } = await set({ critical: 14, high: 5, medium: null, low: 12 });
  expect({ status, ...body }).toMatchObject({ status: 200, applying: false, updated_by: admin.user!.email });
  expect(await windows()).toEqual({ critical: 14, high: 5, medium: null, low: 12, info: null });
  expect(body.breaches).toEqual({ critical: 0, high: 1, medium: 0, low: 0, info: 0 });
  expect(body.breaches_by_engine).toEqual([{ engine: 'check', overdue: 1 }]);
  expect(body.due_soon).toEqual({ critical: 1, high: 0, medium: 0, low: 1, info: 0 });

  await report([...ALL.map((severity) => sample(severity)), sample('high', 'another')], 1);
  expect(await windows()).toEqual({ critical: 14, high: 5, medium: null, low: 12, info: null });
});

it('another severity has another date, and what people have set stays theirs', async () => {
  await report([sample('high', 'one'), sample('high', 'two')], 3);
  const [first] = (await client.call<Listed>('/api/v1/check/findings?rule_id=two')).body.items as [Listed['items'][number]];
  const due_at = '2031-01-01T00:00:00.000Z';
  await client.call(`/api/v1/views/finding/check/${first.finding_id}/assignee`, { method: 'PATCH', body: { due_at } });
  await report([sample('critical', 'one'), sample('critical', 'two')], 1);
  await set({ critical: 9 });
  const { items } = (await client.call<Listed>('/api/v1/check/findings')).body;
  expect(items.find(({ finding_id }) => finding_id === first.finding_id)!.due_at).toBe(due_at);
  const other = items.find(({ finding_id }) => finding_id !== first.finding_id)!;
  expect(Date.parse(other.due_at!) - Date.parse(other.first_seen_at)).toBe(9 * DAY);
});

it('counts what the caller may read, and is changed by who may change the tenant', async () => {
  await report([sample('critical', 'CVE-2026-1111')], 30, 'vulnerability');
  await report([sample('critical')], 30);
  expect((await policy()).breaches['critical']).toBe(2);
  const seen = await policy(await tenant.as('viewer'));
  expect(seen).toMatchObject({ breaches: { critical: 1 }, restrictedEngines: expect.arrayContaining(['vulnerability']) });
  expect((await set({ critical: 1 }, client)).status).toBe(403);
  for (const wrong of [0, 3_651, 1.5]) expect((await set({ critical: wrong })).status).toBeGreaterThanOrEqual(400);
  const [entry] =
    (await set({ critical: 2 })).status === 200
      ? (await admin.call<{ items: { action: string }[] }>('/api/v1/audit-logs?action=sla.update')).body.items
      : [];
  expect(entry).toMatchObject({ action: 'sla.update', detail: { windows: { critical: 2, high: 30 } } });
});

describe('saved filters', () => {
  interface Saved {
    items: { id: string; name: string; own: boolean; filter: Record<string, unknown> }[];
    total: number;
  }
  const put = (id: string, body: Record<string, unknown>, as = client) =>
    as.call<Record<string, unknown>>(`/api/v1/saved-filters/${id}`, { method: 'PUT', body });
  const saved = async (as = client) => (await as.call<Saved>('/api/v1/saved-filters')).body;

  it("are one's own unless they are shared, and ids are one's own as well", async () => {
    const filter = { severity: ['critical'], first_seen_after: '2026-01-01T00:00:00.000Z', q: 'bucket' };
    expect(await put('mine', { name: 'Mine', filter, sort: '-risk_score' })).toMatchObject({
      status: 200,
      body: { id: 'mine', own: true, filter, shared: false },
    });
    await put('ours', { name: 'Ours', filter: {}, shared: true });
    await put('mine', { name: 'Of the admin', filter: {} }, admin);
    expect((await saved()).items.map(({ id, name, own }) => [id, name, own])).toEqual([
      ['mine', 'Mine', true],
      ['ours', 'Ours', true],
    ]);
    expect((await saved(admin)).items.map(({ id, name, own }) => [id, name, own])).toEqual([
      ['mine', 'Of the admin', true],
      ['ours', 'Ours', false],
    ]);
    expect((await admin.call<Saved>('/api/v1/saved-filters?page_size=1&page=2')).body).toMatchObject({ total: 2, items: [{ id: 'ours' }] });
    const remove = (id: string, as: Client) => as.call(`/api/v1/saved-filters/${id}`, { method: 'DELETE' });
    expect((await remove('ours', admin)).status).toBe(404);
    expect((await remove('ours', client)).status).toBe(204);
    expect((await saved(admin)).total).toBe(1);
  });

  it.each([
    ['an id that is none', 'a%20b', { name: 'x', filter: {} }, 422],
    ['no name', 'a', { name: ' ', filter: {} }, 422],
    ['a filter that there is not', 'a', { name: 'x', filter: { nothing: ['x'] } }, 400],
    ['an order that there is not', 'a', { name: 'x', filter: {}, sort: 'nothing' }, 400],
  ])('refuses %s', async (_what, id, body, status) => {
    const answer = await put(id, body);
    expect([answer.status >= 400 && answer.status < 500, answer.status === status || answer.status === 422]).toEqual([true, true]);
  });
});
