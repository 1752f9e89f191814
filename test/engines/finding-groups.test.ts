import { FINDING_STATUSES, type FindingStatus } from '../../schema/model.js';
import { severityOfRank } from '../../kit/findings/risk-score.js';
import type { FindingRow } from '../../kit/findings/row.js';
import type { NegatableFilter } from '../../kit/findings/selection.js';
import type { Database } from '../../kit/store/database.js';
import { findingFacets } from '../../subgraphs/findings/groups/facets.js';
import { findingGroups, type Grouping } from '../../subgraphs/findings/groups/groups.js';
import type { EngineFilter } from '../../kit/findings/every-filter.js';
import { callerOf, openFindings, READABLE } from '../support/engine-findings.js';

let database: Database;
let rows: FindingRow[];
beforeAll(async () => {
  ({ database, rows } = await openFindings());
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

type Filter = NegatableFilter & EngineFilter;
type Test = (row: FindingRow) => boolean;
/** Filters with what each of their parts selects, by column: of counters, of grouped findings, and of both. */
const FILTERS: [Filter, Readonly<Record<string, Test>>][] = [
  [{}, {}],
  [{ severity: ['high', 'low'] }, { severity: ({ severity }) => ['high', 'low'].includes(severity) }],
  [{ status: ['SUPPRESSED', 'OPEN'] }, { status: ({ status }) => ['SUPPRESSED', 'OPEN'].includes(status) }],
  [
    { account_id: ['one'], not_severity: ['low'] },
    { account_id: (row) => row.account_id === 'one', severity: (row) => row.severity !== 'low' },
  ],
  [{ not_account_id: ['one'] }, { account_id: (row) => row.account_id !== 'one' }],
  [
    { rule_id: ['a'], region: ['eu'] },
    { rule_id: (row) => row.rule_id === 'a', region: () => true },
  ],
  [
    { not_rule_id: ['a'], status: ['OPEN'] },
    { rule_id: (row) => row.rule_id !== 'a', status: ({ status }) => status === 'OPEN' },
  ],
  [
    { known_exploited: true, severity: ['high'] },
    { known_exploited: (row) => row.known_exploited === true, severity: (row) => row.severity === 'high' },
  ],
  [{ q: 'a of' }, { q: (row) => row.rule_id === 'a' }],
  [{ first_seen_after: new Date(9_000) }, { first: (row) => row.first_seen_at > new Date(9_000) }],
  [{ engine: ['iam', 'datasec'] }, { engine: (row) => row.engine === 'iam' }],
  [
    { not_engine: ['iam'], account_id: ['two'] },
    { engine: (row) => row.engine !== 'iam', account_id: (row) => row.account_id === 'two' },
  ],
  [{ severity: ['low'], not_severity: ['low'] }, { nothing: () => false }],
];
const readable = (tests: Readonly<Record<string, Test>>, but?: string) =>
  rows.filter((row) => READABLE.has(row.engine) && Object.entries(tests).every(([name, test]) => name === but || test(row)));
const isShown = ({ status }: FindingRow) => status !== 'SUPPRESSED';

const COLUMNS = ['engine', 'severity', 'status', 'provider', 'account_id', 'region', 'resource_type'] as const;

describe('facets', () => {
  it.each(FILTERS)('count the values of a column beside all other filters: %j', async (filter, tests) => {
    const found = (await findingFacets(callerOf(database, READABLE), filter)) as unknown as Record<
      string,
      { distinct: number; values: { value: string | null; count: number }[] }
    > & { total: number; restrictedEngines: string[] };
    const shown = (some: FindingRow[]) => (filter.status ? some : some.filter(isShown));
    expect(found.total).toBe(shown(readable(tests)).length);
    expect(found.restrictedEngines).toEqual(['datasec']);
    for (const column of COLUMNS) {
      const beside = readable(tests, column);
      const counts = new Map<string | null, number>();
      for (const row of column === 'status' ? beside : shown(beside)) counts.set(row[column], (counts.get(row[column]) ?? 0) + 1);
      const told = new Map(found[column]!.values.map(({ value, count }) => [value, count]));
      // what selects nothing whatever else is asked has no facets
      if ('nothing' in tests) expect([column, told]).toEqual([column, new Map()]);
      else expect([column, told]).toEqual([column, counts]);
      expect(found[column]!.distinct).toBe(told.size);
    }
  });
});

const VALUE: Readonly<Record<Grouping, 'rule_id' | 'resource_uid' | 'account_id' | 'cve' | 'engine'>> = {
  rule: 'rule_id',
  resource: 'resource_uid',
  account: 'account_id',
  cve: 'cve',
  engine: 'engine',
};
const OPEN: readonly FindingStatus[] = ['OPEN', 'IN_PROGRESS'];
const WEEK_AGO = new Date(0);

/** Every group as it must be, by looking at every finding. */
function expected(by: Grouping, some: readonly FindingRow[]) {
  const groups = new Map<string | null, FindingRow[]>();
  for (const row of some) {
    const value = row[VALUE[by]];
    if (by === 'cve' && value === null) continue;
    groups.set(value, [...(groups.get(value) ?? []), row]);
  }
  return [...groups].map(([value, found]) => {
    const open = found.filter(({ status }) => OPEN.includes(status));
    const of = (status: FindingStatus) => found.filter((row) => row.status === status).length;
    return {
      value,
      total: found.length,
      open: open.length,
      resolved: of('RESOLVED'),
      suppressed: of('SUPPRESSED'),
      new: found.filter(({ first_seen_at }) => first_seen_at > WEEK_AGO).length,
      worst: open.length === 0 ? null : severityOfRank(Math.max(...open.map(({ severity_rank }) => severity_rank))),
      oldest: open.length === 0 ? null : new Date(Math.min(...open.map(({ first_seen_at }) => first_seen_at.getTime()))),
      engines: [...new Set(found.map(({ engine }) => engine))].sort(),
    };
  });
}

const byValue = (one: { value: string | null }, other: { value: string | null }) => ((one.value ?? '') < (other.value ?? '') ? -1 : 1);

async function pages(filter: Filter, group_by: Grouping) {
  const items: Awaited<ReturnType<typeof findingGroups>>['items'] = [];
  for (let page = 1; ; page++) {
    const found = await findingGroups(callerOf(database, READABLE), { ...filter, group_by, page, page_size: 7 });
    items.push(...found.items);
    if (!found.has_more) return { items, total: found.total };
  }
}

describe('groups', () => {
  it.each(FILTERS)('have the counts of what a filter selects: %j', async (filter, tests) => {
    for (const group_by of Object.keys(VALUE) as Grouping[]) {
      const { items, total } = await pages(filter, group_by);
      const wanted = expected(group_by, readable(tests));
      const told = items.map(({ value, engines, total: all, open, resolved, suppressed, new: fresh, worst, oldest }) => {
        return { value, engines: [...engines].sort(), total: all, open, resolved, suppressed, new: fresh, worst, oldest };
      });
      expect({ group_by, total, groups: told.sort(byValue) }).toEqual({ group_by, total: wanted.length, groups: wanted.sort(byValue) });
    }
  });

  it('stand in one order over their pages, those with most open findings first', async () => {
    const { items } = await pages({ status: FINDING_STATUSES }, 'resource');
    const opens = items.map(({ open }) => open);
    expect(opens).toEqual([...opens].sort((a, b) => b - a));
    expect(new Set(items.map(({ value }) => value)).size).toBe(items.length);
  });
});
