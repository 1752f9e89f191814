import { randomUUID } from 'node:crypto';
import { FINDING_STATUSES, PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { findingCounters } from '../../kit/findings/counters.js';
import type { EngineFilter } from '../../kit/findings/every-filter.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import type { NegatableFilter } from '../../kit/findings/selection.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { Database } from '../../kit/store/database.js';
import { findingAgeing } from '../../subgraphs/findings/ageing/ageing.js';
import { pick, random } from '../contract/list-model.js';
import { callerOf, ENGINES, READABLE } from '../support/engine-findings.js';

const [HOUR, DAY] = [3_600_000, 86_400_000];
/** In the middle of the day 400. */
const [NOW, TODAY] = [400.5 * DAY, 400];

let database: Database;
const rows: FindingRow[] = [];
beforeAll(async () => {
  const name = `ageing_${randomUUID().slice(0, 8)}`;
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, name, [findings, findingCounters, findingTexts]);
  const next = random(7);
  for (const engine of ENGINES) {
    const scoped = database.tenant('t').engine(engine);
    const counters = new CounterChanges();
    const made = Array.from({ length: 80 }, (_, n) => oneOf(engine, n, next));
    for (const row of made) counters.add(row, 1);
    await scoped.collection(findings).insertMany(made);
    await database.transaction((transaction) => counters.write(scoped, transaction));
    rows.push(...made);
  }
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

function oneOf(engine: string, n: number, next: () => number): FindingRow {
  const severity = pick(next, SEVERITIES);
  const status = pick(next, FINDING_STATUSES);
  const first = NOW - Math.floor(next() * 300 * DAY);
  const back = next() < 0.3 ? first + Math.floor(next() * (NOW - first)) : null;
  const since = back ?? first;
  return {
    ...{
      _id: findingRowId('t', engine, `${n}`),
      tenant_id: 't',
      engine,
      finding_id: `${n}`,
      severity,
      severity_rank: severityRank(severity),
      status,
    },
    ...{
      provider: pick(next, PROVIDERS),
      account_id: pick(next, ['one', 'two']),
      region: 'eu',
      resource_type: 'x',
      resource_uid: `u${n % 9}`,
    },
    ...{ rule_id: pick(next, ['a', 'b']), title: 'T', resource_name: null, scan_run_id: 's', discriminator: `${n}`, risk_score: 1 },
    ...{ first_seen_at: new Date(first), last_seen_at: new Date(NOW), regressed_at: back === null ? null : new Date(back) },
    resolved_at: status === 'RESOLVED' ? new Date(since + Math.floor(next() * (NOW - since))) : null,
  } as unknown as FindingRow;
}

const caller = () => {
  const context = callerOf(database, READABLE);
  return { ...context, services: { ...context.services, clock: { now: () => new Date(NOW) } } } as typeof context;
};

type Test = (row: FindingRow) => boolean;
/** Filters of counters, of grouped findings, and of both, with what they select. */
const FILTERS: [NegatableFilter & EngineFilter, Test][] = [
  [{}, () => true],
  [
    { severity: ['high', 'low'], provider: ['aws', 'gcp'] },
    (row) => ['high', 'low'].includes(row.severity) && ['aws', 'gcp'].includes(row.provider),
  ],
  [{ not_severity: ['critical'], not_provider: ['k8s'] }, (row) => row.severity !== 'critical' && row.provider !== 'k8s'],
  [{ status: ['RESOLVED', 'OPEN'] }, (row) => ['RESOLVED', 'OPEN'].includes(row.status)],
  [{ not_status: ['OPEN'] }, (row) => !['OPEN', 'SUPPRESSED'].includes(row.status)],
  [{ account_id: ['one'] }, (row) => row.account_id === 'one'],
  [{ not_account_id: ['one'], rule_id: ['a'] }, (row) => row.account_id !== 'one' && row.rule_id === 'a'],
  [{ resource_uid: ['u1', 'u2'], not_rule_id: ['a'] }, (row) => ['u1', 'u2'].includes(row.resource_uid) && row.rule_id !== 'a'],
  [{ engine: ['check', 'datasec'] }, (row) => row.engine === 'check'],
  [{ not_engine: ['check'], severity: ['info'] }, (row) => row.engine !== 'check' && row.severity === 'info'],
  [{ severity: ['low'], not_severity: ['low'] }, () => false],
];
const dayOf = (moment: Date) => Math.floor(moment.getTime() / DAY);
const tenth = (value: number) => Math.round(value * 10) / 10;

describe('how old findings are', () => {
  it.each(FILTERS)('is told as the findings themselves tell it: %j', async (filter, test) => {
    const selected = rows.filter((row) => READABLE.has(row.engine) && test(row));
    const open = selected.filter(({ status }) => ['OPEN', 'IN_PROGRESS'].includes(status));
    const ages = open.map((row) => TODAY - dayOf(row.first_seen_at));
    const resolved = selected.filter(({ status, resolved_at }) => status === 'RESOLVED' && dayOf(resolved_at!) > TODAY - 90);
    const took = resolved.map((row) => row.resolved_at!.getTime() - (row.regressed_at ?? row.first_seen_at).getTime());
    const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

    const told = await findingAgeing(caller(), { ...filter, days: 90 });
    expect(told).toMatchObject({
      open: open.length,
      mean_age_days: ages.length === 0 ? null : tenth(mean(ages)),
      resolved: resolved.length,
      mean_hours_to_resolve: took.length === 0 ? null : tenth(mean(took) / HOUR),
      degradedEngines: [],
    });
    expect(told.restrictedEngines).toEqual(filter.not_engine || !filter.engine || filter.engine.includes('datasec') ? ['datasec'] : []);
    for (const { from_days, to_days, total, counts } of told.bands) {
      const within = open.filter((_, n) => ages[n]! >= from_days && (to_days === null || ages[n]! < to_days));
      expect([from_days, total]).toEqual([from_days, within.length]);
      for (const severity of SEVERITIES) expect(counts[severity]).toBe(within.filter((row) => row.severity === severity).length);
    }
    expect(told.days).toHaveLength(90);
    for (const { date, new: fresh, resolved: gone } of told.days) {
      const day = dayOf(new Date(date));
      const came = selected.filter((row) => dayOf(row.first_seen_at) === day).length;
      expect([date, fresh, gone]).toEqual([date, came, resolved.filter((row) => dayOf(row.resolved_at!) === day).length]);
    }
  });

  it('ends with today, and refuses what is no number of days', async () => {
    const { days } = await findingAgeing(caller(), { days: 1 });
    expect(days.map(({ date }) => date)).toEqual(['1971-02-05']);
    expect((await findingAgeing(caller(), {})).days).toHaveLength(30);
    for (const days of [0, -1, 367]) await expect(findingAgeing(caller(), { days })).rejects.toThrow('days must be');
    await expect(findingAgeing(caller(), { engine: ['colour'] })).rejects.toThrow('engine must be one of');
  });

  it('is told anew once a finding has changed', async () => {
    const before = await findingAgeing(caller(), {});
    const row = rows.find(({ engine, status }) => engine === 'iam' && status === 'OPEN')!;
    const after = { ...row, status: 'RESOLVED' as const, resolved_at: new Date(NOW) };
    const counters = new CounterChanges();
    counters.move(row, after);
    const scoped = database.tenant('t').engine('iam');
    await scoped.collection(findings).update({ _id: row._id }, { $set: { status: after.status, resolved_at: after.resolved_at } });
    await database.transaction((transaction) => counters.write(scoped, transaction));
    const told = await findingAgeing(caller(), {});
    expect([told.open, told.resolved]).toEqual([before.open - 1, before.resolved + 1]);
  });
});
