import { FINDING_STATUSES, type FindingStatus } from '../../schema/model.js';
import { severityOfRank } from '../../kit/findings/risk-score.js';
import type { FindingRow } from '../../kit/findings/row.js';
import type { NegatableFilter } from '../../kit/findings/selection.js';
import type { Database } from '../../kit/store/database.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { ownedBatch } from '../../subgraphs/di/business/owned-model.js';
import { AssetCounterChanges, assetCounters } from '../../subgraphs/di/counters.js';
import { assetRowId, assets, type AssetRow } from '../../subgraphs/di/records.js';
import { findingFacets } from '../../subgraphs/findings/groups/facets.js';
import { findingGroups } from '../../subgraphs/findings/groups/groups.js';
import { proposalFor } from '../../subgraphs/findings/groups/proposal.js';
import type { Grouping } from '../../subgraphs/findings/groups/ways.js';
import type { EngineFilter } from '../../kit/findings/every-filter.js';
import { callerOf, openFindings, READABLE } from '../support/engine-findings.js';

let database: Database;
let rows: FindingRow[];
beforeAll(async () => {
  ({ database, rows } = await openFindings([assets, assetCounters]));
  await database.tenant('t').collection(assets).insertMany(ownedRows());
  await countOne('resource-0');
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

/** Every third resource is nobody's; the others are of few people, some of whom have names that begin alike. */
const ownerOf = (uid: string): string | null => [null, 'Ann', 'Anna', 'Bob', null, 'Ann'][Number(uid.split('-')[1]) % 6]!;
const ownedRows = () =>
  [...new Set(rows.map(({ resource_uid }) => resource_uid))].flatMap((resource_uid) => {
    const owner = ownerOf(resource_uid);
    return owner === null ? [] : [{ _id: assetRowId('t', resource_uid), tenant_id: 't', resource_uid, owner } as AssetRow];
  });

/** Takes note that an asset has changed. */
async function countOne(resource_uid: string): Promise<void> {
  const changes = new AssetCounterChanges(database.tenant('t'));
  const asset = { provider: 'aws', resource_type: 'aws_s3_bucket', region: 'eu', account_id: 'one', scan_run_id: resource_uid } as const;
  changes.move(asset, asset);
  await database.transaction((transaction) => changes.write(transaction));
}

/** A caller whose reads of the inventory are answered by what it answers others with. */
function caller(): EngineContext {
  const context = callerOf(database, READABLE);
  const inventory = { ...context, collection: (definition: typeof assets) => database.tenant('t').collection(definition) } as EngineContext;
  const call = async ({ variables }: { variables: Parameters<typeof ownedBatch>[1] }) => {
    calls++;
    // fewer than are asked for, so that there are several batches
    return { data: { result: await ownedBatch(inventory, { ...variables, limit: Math.min(variables.limit, 7) }) } };
  };
  return { ...context, services: { ...context.services, caller: { call } } } as unknown as EngineContext;
}
let calls = 0;

const VALUE: Readonly<Record<Grouping, (row: FindingRow) => string | null>> = {
  rule: ({ rule_id }) => rule_id,
  resource: ({ resource_uid }) => resource_uid,
  account: ({ account_id }) => account_id,
  cve: ({ cve }) => cve,
  engine: ({ engine }) => engine,
  owner: ({ resource_uid }) => ownerOf(resource_uid),
};
const OPEN: readonly FindingStatus[] = ['OPEN', 'IN_PROGRESS'];
const WEEK_AGO = new Date(0);

/** Every group as it must be, by looking at every finding. */
function expected(by: Grouping, some: readonly FindingRow[]) {
  const groups = new Map<string | null, FindingRow[]>();
  for (const row of some) {
    const value = VALUE[by](row);
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
      false_positive: of('FALSE_POSITIVE'),
      false_positive_rate: of('FALSE_POSITIVE') / found.length,
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
    const found = await findingGroups(caller(), { ...filter, group_by, page, page_size: 7 });
    items.push(...found.items);
    if (!found.has_more) return { items, total: found.total };
  }
}

describe('groups', () => {
  it.each(FILTERS)('have the counts of what a filter selects: %j', async (filter, tests) => {
    for (const group_by of Object.keys(VALUE) as Grouping[]) {
      const { items, total } = await pages(filter, group_by);
      const wanted = expected(group_by, readable(tests));
      const told = items.map(({ group_by: _by, label: _label, proposal, ...group }) => {
        expect(proposal).toBe(group_by === 'rule' && !filter.status && !filter.not_status ? proposalFor(group) : null);
        return { ...group, engines: [...group.engines].sort() };
      });
      expect({ group_by, total, groups: told.sort(byValue) }).toEqual({ group_by, total: wanted.length, groups: wanted.sort(byValue) });
    }
  });

  it.each([
    [4, 4, null],
    [5, 5, 'switch_off'],
    [8, 10, 'switch_off'],
    [79, 100, 'narrow'],
    [20, 100, 'narrow'],
    [19, 100, null],
  ] as const)('with %i false positives of %i findings of a rule propose %s', (false_positive, total, proposal) => {
    expect(proposalFor({ false_positive, total })).toBe(proposal);
  });

  it('of owners are read once for all engines, and kept until a finding or an asset changes', async () => {
    const args = { group_by: 'owner', page: 1, page_size: 50 } as const;
    await countOne('resource-1');
    calls = 0;
    const first = await findingGroups(caller(), args);
    // the version, and every owner in batches, of which the last may be empty
    expect(calls).toBeLessThanOrEqual(2 + Math.ceil(ownedRows().length / 7));
    calls = 0;
    expect(await findingGroups(caller(), args)).toEqual(first);
    expect(calls).toBe(1);
    const other = ownedRows().find(({ owner }) => owner === 'Bob')!;
    await database
      .tenant('t')
      .collection(assets)
      .update({ _id: other._id }, { $set: { owner: 'Cleo' } });
    await countOne('resource-1');
    expect((await findingGroups(caller(), args)).items.map(({ value }) => value)).toContain('Cleo');
    await database
      .tenant('t')
      .collection(assets)
      .update({ _id: other._id }, { $set: { owner: 'Bob' } });
    await countOne('resource-1');
  });

  it('stand in one order over their pages, those with most open findings first', async () => {
    const { items } = await pages({ status: FINDING_STATUSES }, 'resource');
    const opens = items.map(({ open }) => open);
    expect(opens).toEqual([...opens].sort((a, b) => b - a));
    expect(new Set(items.map(({ value }) => value)).size).toBe(items.length);
  });
});
