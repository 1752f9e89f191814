import { randomUUID } from 'node:crypto';
import type { EngineContext } from '../../kit/engine/context.js';
import { findings, type FindingRow } from '../../kit/findings/row.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { Database } from '../../kit/store/database.js';
import { dashboardTrends } from '../../subgraphs/findings/trends/read.js';
import { postureSnapshots, type PostureSnapshotRow } from '../../subgraphs/findings/trends/records.js';
import { takeSnapshot } from '../../subgraphs/findings/trends/take.js';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const START = Date.UTC(2030, 0, 10, 12);
const ENGINES = [
  ['check', 'check:read'],
  ['datasec', 'datasec:read'],
] as const;

let database: Database;
beforeAll(async () => {
  const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
  database = await Database.open(uri, `trends_${randomUUID().slice(0, 8)}`, [findings, findingCounters, findingTexts, postureSnapshots]);
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** What snapshots need of a caller, some days after the start; the inventory has ten resources. */
const at = (days: number, tenant = 't', permissions: readonly string[] = ['check:read', 'datasec:read'], total = 10): EngineContext => {
  const call = () => Promise.resolve({ data: { result: { total, by_account: [] } } });
  return {
    auth: { tenant_id: tenant, permissions },
    signal: new AbortController().signal,
    collection: (definition: never) => database.tenant(tenant).collection(definition),
    services: {
      database,
      caller: { call },
      clock: { now: () => new Date(START + days * DAY) },
      findingEngines: ENGINES.map(([engine, permission]) => ({ engine, viewSegment: engine, permission })),
    },
  } as unknown as EngineContext;
};

let serial = 0;
async function open(
  engine: string,
  day: number,
  severity: FindingRow['severity'],
  more: Partial<FindingRow> = {},
  tenant = 't',
): Promise<FindingRow> {
  const n = ++serial;
  const row = {
    ...{
      _id: `t|${engine}|${n}`,
      tenant_id: 't',
      engine,
      finding_id: `${n}`,
      rule_id: 'r',
      title: 'T',
      resource_uid: `u${n}`,
      resource_name: null,
    },
    ...{
      status: 'OPEN',
      severity,
      severity_rank: 5,
      provider: 'aws',
      account_id: null,
      region: 'global',
      resource_type: 'x',
      scan_run_id: 's',
    },
    ...{ discriminator: '', first_seen_at: new Date(START + day * DAY), last_seen_at: new Date(START + day * DAY), regressed_at: null },
    ...more,
  } as unknown as FindingRow;
  await write(engine, (counters) => counters.add(row, 1), tenant);
  await database.tenant(tenant).engine(engine).collection(findings).insert(row);
  return row;
}
async function write(engine: string, change: (counters: CounterChanges) => void, tenant = 't'): Promise<void> {
  const counters = new CounterChanges();
  change(counters);
  await database.transaction((transaction) => counters.write(database.tenant(tenant).engine(engine), transaction));
}
async function move(row: FindingRow, change: Partial<FindingRow>): Promise<FindingRow> {
  const after = { ...row, ...change };
  await write(row.engine, (counters) => counters.move(row, after));
  await database.tenant('t').engine(row.engine).collection(findings).update({ _id: row._id }, { $set: change });
  return after;
}

const NONE = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };

describe('trends', () => {
  it('tell for how long findings had been open that were resolved, since they came back where they did', async () => {
    const resolvedAt = (hours: number) => ({ status: 'RESOLVED', resolved_at: new Date(START + hours * HOUR) }) as const;
    const took = async (tenant: string, filter = {}) =>
      (await dashboardTrends(at(0, tenant), filter)).days.map((day) => day.mean_hours_to_resolve);
    const add = async (engine: string, more: Partial<FindingRow>) =>
      open(engine, -10, 'low', { tenant_id: 'm', _id: `m|${engine}|${++serial}`, ...more }, 'm');
    await add('check', { ...resolvedAt(1), first_seen_at: new Date(START - 3 * HOUR) });
    await add('check', { ...resolvedAt(1), regressed_at: new Date(START - HOUR) });
    await add('check', { first_seen_at: new Date(START - 500 * HOUR) });
    await add('datasec', { ...resolvedAt(2), provider: 'gcp', first_seen_at: new Date(START - 7 * HOUR) });
    await takeSnapshot(at(0, 'm'));
    expect(await took('m')).toEqual([5]);
    expect(await took('m', { engine: ['check'] })).toEqual([3]);
    expect(await took('m', { provider: ['gcp'] })).toEqual([9]);
    expect(await took('m', { provider: ['ibm'] })).toEqual([null]);
    // of a day that an earlier release noted, what it did not note is not told
    const rows = database.tenant('m').collection(postureSnapshots);
    const [{ engines }] = (await rows.find({})) as [PostureSnapshotRow];
    const { openFor: _, ...earlier } = engines['check']!;
    await rows.update({}, { $set: { engines: { ...engines, check: earlier } } });
    expect(await took('m')).toEqual([9]);
  });

  it('tell the present day as it stands now, whenever it was last looked at', async () => {
    const add = async (engine: string, severity: FindingRow['severity'], day: number) =>
      open(engine, day, severity, { tenant_id: 'n', _id: `n|${engine}|${++serial}` }, 'n');
    const told = async (day: number, filter = {}, permissions = ['check:read', 'datasec:read']) =>
      (await dashboardTrends(at(day, 'n', permissions), filter)).days.map((one) => [
        one.date,
        one.open.high,
        one.open.critical,
        one.new.high,
        one.resources,
      ]);
    await add('check', 'high', 0);
    // nobody has looked yet, and how many resources there are is not known
    expect(await told(0)).toEqual([]);
    await takeSnapshot(at(0, 'n'));
    await add('check', 'high', 0);
    await add('datasec', 'critical', 0);
    expect(await told(0)).toEqual([['2030-01-10', 2, 1, 2, 10]]);
    expect(await told(0, { engine: ['datasec'] })).toEqual([['2030-01-10', 0, 1, 0, 10]]);
    expect(await told(0, {}, ['check:read'])).toEqual([['2030-01-10', 2, 0, 2, 10]]);
    const before = ['2030-01-10', 1, 0, 1, 10];
    const now = ['2030-01-11', 3, 1, 1, 10];
    await add('check', 'high', 1);
    expect(await told(1)).toEqual([before, now]);
    expect(await told(1, { from: new Date(START + DAY) })).toEqual([now]);
    expect(await told(1, { to: new Date(START) })).toEqual([before]);
    // the resources, too, are those of now
    const grown = await dashboardTrends(at(1, 'n', ['check:read'], 25), {});
    expect(grown.days.map(({ resources }) => resources)).toEqual([10, 25]);
  });

  it('tell by day what was open, new, resolved and came back, of the engines that the caller may read', async () => {
    const first = await open('check', 0, 'high');
    await open('datasec', 0, 'critical', { provider: 'gcp' });
    await takeSnapshot(at(0));
    const resolved = await move(first, { status: 'RESOLVED', resolved_at: new Date(START + DAY) });
    await open('check', 1, 'low');
    await takeSnapshot(at(1));
    await move(resolved, { status: 'OPEN', resolved_at: null, regressed_at: new Date(START + 2 * DAY) });
    await takeSnapshot(at(2));
    // a day is looked at again and again
    await takeSnapshot(at(2));

    const { days, restrictedEngines } = await dashboardTrends(at(2), {});
    expect(restrictedEngines).toEqual([]);
    expect(days.map(({ date, open: { high, critical, low } }) => [date, critical, high, low])).toEqual([
      ['2030-01-10', 1, 1, 0],
      ['2030-01-11', 1, 0, 1],
      ['2030-01-12', 1, 1, 1],
    ]);
    expect(days.map((day) => day.new)).toEqual([{ ...NONE, critical: 1, high: 1 }, { ...NONE, low: 1 }, NONE]);
    expect(days.map((day) => day.resolved)).toEqual([NONE, { ...NONE, high: 1 }, NONE]);
    expect(days.map((day) => day.regressed)).toEqual([NONE, NONE, { ...NONE, high: 1 }]);
    // the one that was resolved had been open for a day
    expect(days.map((day) => day.mean_hours_to_resolve)).toEqual([null, 24, null]);
    // 100 × 10 / (10 + 1.5), (10 + 1.05), (10 + 1.55)
    expect(days.map((day) => day.posture_score)).toEqual([86, 90, 86]);

    const viewer = await dashboardTrends(at(2, 't', ['check:read']), {});
    expect(viewer.restrictedEngines).toEqual(['datasec']);
    expect(viewer.days.map(({ open: { critical, high } }) => [critical, high])).toEqual([
      [0, 1],
      [0, 0],
      [0, 1],
    ]);
    const gcp = await dashboardTrends(at(2), { provider: ['gcp'], from: new Date(START + DAY), to: new Date(START + DAY) });
    expect(gcp.days).toMatchObject([{ date: '2030-01-11', posture_score: null, open: { ...NONE, critical: 1 } }]);
    expect((await dashboardTrends(at(2), { engine: ['datasec'] })).days[2]!.open).toEqual({ ...NONE, critical: 1 });
    expect((await dashboardTrends(at(2, 'other'), {})).days).toEqual([]);
    await expect(dashboardTrends(at(2), { from: new Date(START), to: new Date(START - DAY) })).rejects.toThrow('from must not');
    await expect(dashboardTrends(at(2), { from: new Date(0) })).rejects.toThrow('366 days');
  });
});
