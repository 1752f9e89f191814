import { randomUUID } from 'node:crypto';
import { FINDING_STATUSES, PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { systemClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { countStored, findingCounters, sumCells, type CounterRow } from '../../kit/findings/counters.js';
import { askedFilters, findingCondition, type FindingFilter } from '../../kit/findings/filters.js';
import { countedCells } from '../../kit/findings/counted.js';
import { countFindings } from '../../kit/findings/query.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { selection } from '../../kit/findings/search.js';
import { topOf } from '../../kit/findings/top.js';
import { Database } from '../../kit/store/database.js';
import { migrate, migrationRows } from '../../kit/store/migration.js';
import { schemaRows } from '../../kit/store/schema-epoch.js';
import { countersByColumn } from '../../processes/migrations/finding-counters.js';
import { pick, random } from '../contract/list-model.js';
import { writeFindings } from '../support/finding-changes.js';

const ENGINE = 'check';
const next = random(11);
const moment = () => new Date(Date.UTC(2026, 0, 1 + Math.floor(next() * 6)));

let database: Database;
let tenant: string;
let serial = 0;
const known = new Map<string, FindingRow>();
const own = () => database.tenant(tenant).engine(ENGINE);

beforeAll(async () => {
  const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
  const all = [findings, findingCounters, findingTexts, migrationRows, schemaRows] as never[];
  database = await Database.open(uri, `counters_${randomUUID().slice(0, 8)}`, all);
});
beforeEach(() => {
  tenant = `t${++serial}`;
  known.clear();
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** What a report may change of a finding. */
function reported(): Partial<FindingRow> {
  const severity = pick(next, SEVERITIES);
  return {
    status: pick(next, FINDING_STATUSES),
    severity,
    severity_rank: severityRank(severity),
    provider: pick(next, PROVIDERS.slice(0, 3)),
    account_id: pick(next, ['one', 'two', 'a|b.c$=%', null]),
    region: pick(next, ['eu', 'us.east', '']),
    resource_type: pick(next, ['bucket', 'disk', 'a|b']),
    scan_run_id: pick(next, ['run-1', 'run-2', 'run-3']),
    last_seen_at: moment(),
  };
}

/** What a run changes of a finding that it only sees again. */
const confirmed = (): Partial<FindingRow> => ({ scan_run_id: pick(next, ['run-1', 'run-2', 'run-3']), last_seen_at: moment() });

function made(): FindingRow {
  const finding_id = String(++serial).padStart(8, '0');
  const row = { _id: findingRowId(tenant, ENGINE, finding_id), tenant_id: tenant, engine: ENGINE, finding_id, discriminator: finding_id };
  const rule_id = `rule-${Math.floor(14 * next() ** 2)}`;
  const resource_uid = `resource-${Math.floor(25 * next())}`;
  return { ...row, rule_id, title: `Title of ${rule_id}`, resource_uid, first_seen_at: moment(), ...reported() } as FindingRow;
}

/** A batch of findings that open, change and go, with their counters, in one transaction; the model follows. */
async function change(size: number): Promise<void> {
  const counters = new CounterChanges();
  const added = Array.from({ length: size }, made);
  const old = [...known.values()];
  const [moved, gone] = [old.filter((_, n) => n % 3 === 1), old.filter((_, n) => n % 7 === 0 && n % 3 !== 1)];
  const updates = moved.map((row, n) => ({ row, to: { ...row, ...(n % 2 === 0 ? reported() : confirmed()) } }));
  for (const row of added) counters.add(row, 1);
  for (const [n, { row, to }] of updates.entries()) {
    const { title: _title, resource_name: _name, ...rest } = to;
    counters.move(row, n % 2 === 0 ? to : (rest as FindingRow));
  }
  for (const row of gone) counters.add(row, -1);
  await writeFindings(database, own(), { added, updates, gone }, counters, known);
}

/** A value of each filter that counters know. */
const VALUES: { readonly [Name in keyof FindingFilter]-?: FindingFilter[Name][] } = {
  severity: [['critical'], ['high', 'low']],
  provider: [[PROVIDERS[0]!], [PROVIDERS[1]!, PROVIDERS[6]!]],
  status: [['OPEN'], ['SUPPRESSED', 'RESOLVED']],
  region: [['us.east'], ['eu', ''], ['none']],
  account_id: [['a|b.c$=%'], ['one', 'two']],
  resource_type: [['a|b'], ['bucket', 'disk']],
  rule_id: [['rule-0'], ['rule-1', 'rule-2', 'none']],
  resource_uid: [['resource-1'], ['resource-2', 'resource-3', 'resource-4']],
  scan_run_id: [['run-1'], ['run-2', 'none']],
  first_seen_after: [new Date(Date.UTC(2026, 0, 3)), new Date(0)],
  last_seen_after: [new Date(Date.UTC(2026, 0, 4)), new Date(Date.UTC(2100, 0, 1))],
  first_seen_before: [new Date(Date.UTC(2026, 0, 3))],
  last_seen_before: [new Date(Date.UTC(2026, 0, 4)), new Date(0)],
  has_ticket: [],
  assignee: [],
  due_before: [],
  resolved_after: [],
  label: [],
  overdue: [],
  technique: [],
  stands_for: [],
  q: [],
  cve: [],
  cvss_min: [],
  epss_min: [],
  known_exploited: [],
};
const NAMES = (Object.keys(VALUES) as (keyof FindingFilter)[]).filter((name) => VALUES[name].length > 0);

/** Filters by every name alone, by every pair, and by the three of a place. */
function filters(): FindingFilter[] {
  const one = NAMES.flatMap((name) => VALUES[name].map((value) => ({ [name]: value }) as FindingFilter));
  const two = one.flatMap((a, n) => one.slice(n + 1).map((b) => ({ ...a, ...b })));
  return [{}, ...one, ...two, { account_id: ['one', 'two'], region: ['eu'], resource_type: ['bucket'] }];
}

/** What a filter selects, by looking at every finding. */
function selected(filter: FindingFilter): FindingRow[] {
  const has =
    (name: 'severity' | 'provider' | 'region' | 'account_id' | 'resource_type' | 'rule_id' | 'resource_uid' | 'scan_run_id') =>
    (row: FindingRow) =>
      !filter[name] || (filter[name] as readonly unknown[]).includes(row[name]);
  const tests = (['severity', 'provider', 'region', 'account_id', 'resource_type', 'rule_id', 'resource_uid', 'scan_run_id'] as const).map(
    has,
  );
  return [...known.values()].filter(
    (row) =>
      (filter.status ? filter.status.includes(row.status) : row.status !== 'SUPPRESSED') &&
      (!filter.first_seen_after || row.first_seen_at > filter.first_seen_after) &&
      (!filter.last_seen_after || row.last_seen_at > filter.last_seen_after) &&
      (!filter.first_seen_before || row.first_seen_at < filter.first_seen_before) &&
      (!filter.last_seen_before || row.last_seen_at < filter.last_seen_before) &&
      tests.every((test) => test(row)),
  );
}

/** The first ten of a column's values, most findings first, then the worst, then by name. */
function ranked(by: 'rule_id' | 'resource_uid', rows: readonly FindingRow[]) {
  const groups = new Map<string, { value: string; worst: number; count: number }>();
  for (const row of rows) {
    const group = groups.get(row[by]) ?? { value: row[by], worst: 0, count: 0 };
    groups.set(row[by], { ...group, worst: Math.max(group.worst, row.severity_rank), count: group.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || b.worst - a.worst || (a.value < b.value ? -1 : 1)).slice(0, 10);
}

async function compareAll(): Promise<void> {
  for (const filter of filters()) {
    const rows = selected(filter);
    expect({ filter, total: await countFindings(own(), filter) }).toEqual({ filter, total: rows.length });
  }
  const some = filters().filter((filter, n) => askedFilters(filter).length < 2 || n % 5 === 0);
  for (const filter of some)
    for (const by of ['rule_id', 'resource_uid'] as const) {
      const condition = () => selection(own(), filter);
      const top = (await topOf(own(), by, filter, selected(filter).length, condition)).map(({ label: _, ...one }) => one);
      expect({ filter, by, top }).toEqual({ filter, by, top: ranked(by, selected(filter)) });
    }
}

it('counters tell every total and every summary, whatever opened, changed and went', async () => {
  for (const size of [120, 60, 30]) {
    await change(size);
    await compareAll();
  }
  expect(await countStored(database.tenant(tenant), [ENGINE, 'iam'])).toBe(known.size);
  expect((await topOf(own(), 'rule_id', {}, known.size, () => selection(own(), {})))[0]!.label).toMatch(/^Title of rule-/);
});

it('filters that lists offer alone, and those of a place together, are told by counters and not by counting', async () => {
  await change(20);
  for (const name of NAMES) expect(await countedCells(own(), { [name]: VALUES[name][0] })).not.toBeNull();
  for (const name of NAMES)
    expect(await countedCells(own(), { [name]: VALUES[name][0], severity: ['high'], status: ['OPEN'], provider: ['aws'] })).not.toBeNull();
  expect(
    await countedCells(own(), { account_id: ['one'], region: ['eu'], resource_type: ['disk'], resource_uid: ['resource-1'] }),
  ).not.toBeNull();
});

it('counters of what is gone go with it', async () => {
  await change(40);
  const counters = new CounterChanges();
  for (const row of known.values()) counters.add(row, -1);
  await database.transaction((transaction) => counters.write(own(), transaction));
  expect((await own().collection(findingCounters).find({})).map(({ by, counts }) => [by, counts])).toEqual([['all', {}]]);
});

it('changes of two at the same time are both counted', async () => {
  const both = [made(), made()].map((row) => ({ ...row, rule_id: 'same', resource_uid: 'same' }));
  await Promise.all(
    both.map((row) => {
      const counters = new CounterChanges();
      counters.add(row, 1);
      return database.transaction((transaction) => counters.write(own(), transaction));
    }),
  );
  expect(sumCells((await countedCells(own(), { status: FINDING_STATUSES, rule_id: ['same'] }))!).total).toBe(2);
});

it('an answer that is kept is read anew after any change, and is of its tenant and filter alone', async () => {
  await change(30);
  const filter: FindingFilter = { rule_id: ['rule-0', 'rule-1'], region: ['eu', 'us.east', ''], status: FINDING_STATUSES };
  const count = () => countFindings(own(), filter);
  expect(await count()).toBe(selected(filter).length);
  await change(30);
  expect(await count()).toBe(selected(filter).length);
  expect(await countFindings(database.tenant('other').engine(ENGINE), filter)).toBe(0);
  expect(await countFindings(database.tenant(tenant).engine('iam'), filter)).toBe(0);
  expect(await own().collection(findings).count(findingCondition(filter))).toBe(await count());
});

it('the migration counts findings of all tenants anew, and goes on where it was stopped', async () => {
  await database.system(findings).remove({});
  await change(30);
  const first = tenant;
  tenant = 'second';
  const rows = Array.from({ length: 1_200 }, made);
  await database.system(findings).insertMany(rows);
  const stale = {
    _id: `${tenant}|${ENGINE}|a:one`,
    tenant_id: tenant,
    engine: ENGINE,
    account: 'a:one',
    counts: { 'high|OPEN|aws|eu|x': 4 },
  };
  await database.system(findingCounters).insertMany([stale as unknown as CounterRow]);
  let batches = 0;
  const stopped = {
    ...countersByColumn,
    run: (migrating: Parameters<typeof countersByColumn.run>[0]) =>
      countersByColumn.run({
        ...migrating,
        batch: (work) => (++batches === 3 ? Promise.reject(new Error('killed')) : migrating.batch(work)),
      }),
  };
  const run = (migration: typeof countersByColumn) => migrate(database, systemClock, createLogger('silent'), [migration]);
  await expect(run(stopped)).rejects.toThrow('killed');
  await run(countersByColumn);
  for (const row of rows) known.set(row._id, row);
  for (const row of [...known.values()]) if (row.tenant_id !== tenant) known.delete(row._id);
  await compareAll();
  expect(await own().collection(findingCounters).findOne({ _id: stale._id })).toBeNull();
  const others = database.tenant(first).engine(ENGINE);
  expect(await countFindings(others, { status: FINDING_STATUSES })).toBe(await others.collection(findings).count({}));
});
