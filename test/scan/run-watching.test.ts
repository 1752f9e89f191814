import { bucket, ocsf, trivy, type PostureRecord } from '../support/reports.js';
import { openWorld, type Client, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

interface Diff {
  against: { scan_run_id: string } | null;
  between: string[];
  counts: Record<string, number>;
  items: { change: string; scan_run_id: string; rule_id: string; engine: string; severity: string; before: { severity: string } | null }[];
  total: number;
  has_more: boolean;
  restrictedEngines: string[];
}
const record = (rule: string, more: Partial<PostureRecord> = {}): PostureRecord => ({ rule, resource: bucket('a'), ...more });
const diff = async (client: Client, id: string, query = '') => (await client.call<Diff>(`/api/v1/scan-runs/${id}/diff?${query}`)).body;
const told = ({ items }: Diff) => items.map(({ change, rule_id, scan_run_id }) => [change, rule_id, scan_run_id]);
const runId = (scan_run_id: string, account_id = '111122223333') => ({ scan_run_id, account_id });

describe('the comparison of a run with the one before', () => {
  it('tells what is new, changed, resolved and has come back, and still does when a later run has changed it all again', async () => {
    const client = await (await world.tenant()).as('analyst');
    await client.import(ocsf([record('kept'), record('louder'), record('fixed'), record('back')]), runId('one'));
    await client.import(ocsf([record('kept'), record('louder'), record('fixed')]), runId('two'));
    await client.import(
      ocsf([record('kept'), record('louder', { severity: 'Critical' }), record('back'), record('fresh', { severity: 'Low' })]),
      runId('three'),
    );
    const expected = [
      ['new', 'fresh', 'three'],
      ['regressed', 'back', 'three'],
      ['changed', 'louder', 'three'],
      ['resolved', 'fixed', 'three'],
    ];
    const three = await diff(client, 'three');
    expect(three).toMatchObject({ against: { scan_run_id: 'two' }, between: [], total: 4, has_more: false });
    expect(three.counts).toEqual({ new: 1, regressed: 1, changed: 1, resolved: 1 });
    expect(told(three)).toEqual(expected);
    expect(three.items[2]).toMatchObject({ severity: 'critical', before: { severity: 'high' }, engine: 'check' });

    await client.import(ocsf([record('kept'), record('fixed')]), runId('four'));
    expect(told(await diff(client, 'three'))).toEqual(expected);
    expect((await diff(client, 'four')).counts).toEqual({ new: 0, regressed: 1, changed: 0, resolved: 3 });
  });

  it('is with the last completed run of the same scope, and counts what runs in between did that were not completed', async () => {
    const client = await (await world.tenant()).as('analyst');
    await client.import(ocsf([record('a')]), runId('first'));
    await client.import(ocsf([record('x', { account: '2' })]), runId('elsewhere', '2'));
    const cut = `${JSON.stringify(ocsf([record('a'), record('b')])).slice(0, -1)},{"message":`;
    expect(await client.import(cut, runId('cut'))).toMatchObject({ state: 'PARTIAL' });
    await client.import(ocsf([record('a'), record('b'), record('c')]), runId('second'));
    const second = await diff(client, 'second');
    expect(second).toMatchObject({ against: { scan_run_id: 'first' }, between: ['cut'] });
    expect(told(second).sort()).toEqual([
      ['new', 'b', 'cut'],
      ['new', 'c', 'second'],
    ]);
    expect(await diff(client, 'first')).toMatchObject({ against: null, counts: { new: 1 } });
  });

  it('is paged without a row twice or left out, and narrowed by kind and engine', async () => {
    const client = await (await world.tenant()).as('analyst');
    await client.import(ocsf(Array.from({ length: 7 }, (_, n) => record(`r${n}`))), runId('one'));
    await client.import(ocsf([record('r0'), ...Array.from({ length: 5 }, (_, n) => record(`s${n}`))]), runId('two'));
    const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => diff(client, 'two', `page_size=3&page=${page}`)));
    expect(pages.map(({ total, items, has_more }) => [total, items.length, has_more])).toEqual([
      [11, 3, true],
      [11, 3, true],
      [11, 3, true],
      [11, 2, false],
      [11, 0, false],
    ]);
    expect(new Set(pages.flatMap(told).map((row) => row.join())).size).toBe(11);
    expect(await diff(client, 'two', 'change=resolved')).toMatchObject({ total: 6, counts: { new: 5, resolved: 6 } });
    expect(await diff(client, 'two', 'engine=vulnerability')).toMatchObject({ total: 0, counts: { new: 0, resolved: 0 } });
    expect((await client.call('/api/v1/scan-runs/two/diff?engine=nothing')).status).toBe(400);
  });

  it('holds nothing of engines that the caller may not read', async () => {
    const tenant = await world.tenant();
    const [analyst, viewer] = [await tenant.as('analyst'), await tenant.as('viewer')];
    await analyst.import(trivy('img:1', [{ id: 'CVE-2024-0001', pkg: 'openssl' }]), { scan_run_id: 'image' });
    expect(await diff(analyst, 'image')).toMatchObject({ counts: { new: 1 }, restrictedEngines: [] });
    const seen = await diff(viewer, 'image');
    expect(seen).toMatchObject({ counts: { new: 0 }, items: [], total: 0 });
    expect(seen.restrictedEngines).toContain('vulnerability');
  });
});

describe('the events of a run', () => {
  const events = async (client: Client, id: string, headers: Record<string, string> = {}) => {
    const { status, text, headers: told } = await client.call(`/api/v1/scan-runs/${id}/events`, { headers });
    const frames = text.split('\n\n').filter((frame) => frame.startsWith('id: '));
    return {
      status,
      type: told.get('content-type'),
      items: frames.map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)![1]!) as { position: number; state: string }),
    };
  };

  it('are its states in order until the final one, resumed behind the last that is known', async () => {
    const client = await (await world.tenant()).as('analyst');
    const raw = JSON.stringify(ocsf([record('a')]));
    await client.call('/api/v1/scans/imports?scan_run_id=live', { raw });
    // asked for while the run goes on: the stream ends with it
    const whole = await events(client, 'live');
    expect(whole).toMatchObject({ status: 200, type: 'text/event-stream; charset=utf-8' });
    expect(whole.items.map(({ position }) => position)).toEqual(whole.items.map((_, n) => n + 1));
    expect([...new Set(whole.items.map(({ state }) => state))]).toEqual(['QUEUED', 'RUNNING', 'COMPLETED']);
    expect(whole.items.at(-1)).toMatchObject({ type: 'state', counts: { records: 1, new: 1 }, total_findings: 1 });
    const [, ...rest] = whole.items;
    expect((await events(client, 'live', { 'last-event-id': '1' })).items).toEqual(rest);
    expect((await events(client, 'live', { 'last-event-id': `${whole.items.length}` })).items).toEqual([]);
  });

  it('of another tenant, of nothing, and behind what is no position are refused', async () => {
    const [one, other] = [await (await world.tenant()).as('analyst'), await (await world.tenant()).as('analyst')];
    await one.import(ocsf([record('a')]), { scan_run_id: 'mine' });
    expect((await events(other, 'mine')).status).toBe(404);
    expect((await events(one, 'mine', { 'last-event-id': 'x' })).status).toBe(400);
    expect((await world.anonymous.call('/api/v1/scan-runs/mine/events')).status).toBe(401);
  });
});

describe('the pipeline', () => {
  it('tells runs with their stages, the workers that are there, and a run that is the tenant’s only', async () => {
    const tenant = await world.tenant();
    const client = await tenant.as('viewer');
    await (await tenant.as('analyst')).import(ocsf([record('a')]), { scan_run_id: 'seen' });
    const { body } = await client.call<{ workers: { seen: number } }>('/api/v1/pipeline/runs');
    expect(body).toMatchObject({
      total: 1,
      items: [{ scan_run_id: 'seen', state: 'COMPLETED', attempts: 1, last_error: null }],
      by_state: expect.arrayContaining([{ state: 'COMPLETED', runs: 1 }]) as unknown,
    });
    expect(body.workers.seen).toBeGreaterThan(0);
    const one = await client.call<{ stages: { stage: string; state: string; attempts: number; duration_ms: number | null }[] }>(
      '/api/v1/pipeline/runs/seen',
    );
    expect(one.body.stages.map(({ stage, state }) => [stage, state])).toEqual([
      ['inventory', 'COMPLETED'],
      ['ingest', 'COMPLETED'],
      ['derive', 'COMPLETED'],
    ]);
    expect(one.body.stages[1]).toMatchObject({ attempts: 1, duration_ms: expect.any(Number) as number });
    const other = await (await world.tenant()).as('viewer');
    expect((await other.call('/api/v1/pipeline/runs/seen')).status).toBe(404);
    expect((await other.call('/api/v1/pipeline/runs')).body).toMatchObject({ total: 0, items: [] });
  });
});
