import { FINDING_STATUSES } from '../../schema/model.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { findingEngines } from './registry-facts.js';
import { ALL, feedInRuns, isModelled, listOf, mixture, ORDERS, rowsOf, setStatus, summarized, summaryOf, type Row } from './list-model.js';

const FILTERS = [
  'severity',
  'provider',
  'status',
  'region',
  'account_id',
  'resource_type',
  'rule_id',
  'resource_uid',
  'scan_run_id',
] as const;
type Filter = (typeof FILTERS)[number];

/** Queries that no list takes. */
const REFUSED = [
  ...['page=0', 'page=-1', 'page=1.5', 'page=x', 'page=', 'page=1&page=2', 'page=99999999999'],
  ...['page_size=0', 'page_size=201', 'page_size=-5', 'page_size=1e2', 'page_size=1000000000', 'page_size=0x10'],
  ...['sort=nope', 'sort=title', 'sort=--severity', 'sort=severity,risk_score', 'sort=__proto__', 'sort=constructor'],
  ...['severity=', 'severity=nope', 'severity=HIGH', 'severity=high,', 'status=open', 'provider=amazon', 'region=a,,b'],
  ...[
    'severity[$ne]=x',
    'severity%5B%24ne%5D=x',
    'account_id[$regex]=.*',
    'account_id[]=1',
    'q[$gt]=',
    '$where=1',
    '__proto__=x',
    '__proto__[x]=1',
    'constructor=x',
    'constructor.prototype=x',
  ],
  ...[
    'sevrity=high',
    'Severity=high',
    'tenant_id=other',
    'first_seen_after=yesterday',
    'last_seen_after=2026-02-30',
    'first_seen_after=1',
    'q=%FF',
    'q=a&q=b',
  ],
];

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const isShown = ({ status }: Row) => status !== 'SUPPRESSED';
const ids = (rows: readonly Row[]) => rows.map(({ finding_id }) => finding_id);
const named = (engines: typeof findingEngines) => engines.map(({ viewSegment, prefix }) => [viewSegment, prefix] as const);
const encode = (field: Filter, values: readonly string[]) => values.map((value) => `${field}=${encodeURIComponent(value)}`).join('&');

/** A tenant's findings of one engine, and what its list must say of them. */
class Findings {
  private constructor(
    readonly client: Client,
    readonly prefix: string,
    readonly rows: readonly Row[],
  ) {}

  /** Imports `count` findings, and moves every other one on. */
  static async make(segment: string, prefix: string, count: number): Promise<Findings> {
    const client = await (await world.tenant()).as('analyst');
    await feedInRuns(client, segment, mixture(count, 7));
    const fresh = await rowsOf(client, prefix, ALL);
    for (const [n, { finding_id }] of fresh.filter((_, n) => n % 2 === 0).entries()) {
      const { status, text } = await setStatus(client, segment, finding_id, FINDING_STATUSES[1 + (n % 4)]!);
      expect({ status, text }).toMatchObject({ status: 200 });
    }
    return new Findings(client, prefix, await rowsOf(client, prefix, ALL));
  }

  valuesOf(field: Filter): string[] {
    return [...new Set(this.rows.map((row) => row[field]).filter((value) => value !== null))].sort();
  }

  list(query: string) {
    return listOf(this.client, this.prefix, query);
  }

  /** The query's list, summary and pages are exactly the rows that `wanted` tells. */
  async expect(query: string, wanted: (row: Row) => boolean): Promise<void> {
    const expected = this.rows.filter(wanted).sort(ORDERS['severity']!);
    const [page, summary] = await Promise.all([this.list(`${query}&page_size=200`), summaryOf(this.client, this.prefix, query)]);
    expect({ query, total: page.total, ids: ids(page.items) }).toEqual({ query, total: expected.length, ids: ids(expected) });
    expect({ query, ...summary }).toMatchObject({ query, ...summarized(expected) });
  }

  /** Both the list and the summary refuse the query. */
  async expectRefused(query: string): Promise<void> {
    for (const path of ['findings', 'summary']) {
      const { status, body } = await this.client.call(`/api/v1/${this.prefix}/${path}?${query}`);
      const page = this.prefix;
      expect({ path, status, body }).toMatchObject({ path, status: 400, body: { page, error_code: 'BAD_REQUEST', degraded_engines: [] } });
    }
  }
}

describe.each(named(findingEngines.filter((one) => !isModelled(one))))('the list of %s', (segment, prefix) => {
  it('has the filters, orders, pages and refusals of all lists', async () => {
    const found = await Findings.make(segment, prefix, 20);
    expect(found.rows).toHaveLength(20);
    await found.expect('', isShown);
    for (const field of FILTERS) {
      const value = found.valuesOf(field)[0]!;
      await found.expect(encode(field, [value]), (row) => row[field] === value && (field === 'status' || isShown(row)));
    }
    const moment = found.rows.map(({ last_seen_at }) => last_seen_at).sort()[10]!;
    for (const field of ['first_seen', 'last_seen'] as const)
      await found.expect(`${field}_after=${encodeURIComponent(moment)}`, (row) => isShown(row) && row[`${field}_at`] > moment);
    await found.expect('q=rule 1', (row) => isShown(row) && row.title.includes('rule 1'));
    const sorted = await rowsOf(found.client, prefix, `${ALL}&sort=risk_score`, 7);
    expect(ids(sorted)).toEqual(ids([...found.rows].sort((a, b) => ORDERS['risk_score']!(b, a))));
    for (const query of ['page_size=201', 'sevrity=high']) await found.expectRefused(query);
  });
});

describe.each(named(findingEngines.filter(isModelled)))('the list of %s', (segment, prefix) => {
  const COUNT = 120;
  let found: Findings;
  let rows: readonly Row[];

  beforeAll(async () => {
    found = await Findings.make(segment, prefix, COUNT);
    rows = found.rows;
  });
  const expectRows = (query: string, wanted: (row: Row) => boolean) => found.expect(query, wanted);
  const valuesOf = (field: Filter) => found.valuesOf(field);

  it('holds every finding that was imported, in all its variety', () => {
    expect(rows).toHaveLength(COUNT);
    expect(new Set(ids(rows)).size).toBe(COUNT);
    for (const field of FILTERS) expect({ field, isVaried: valuesOf(field).length > 1 }).toEqual({ field, isVaried: true });
    expect(valuesOf('severity')).toHaveLength(5);
    expect(valuesOf('status')).toHaveLength(5);
    expect(valuesOf('provider').length).toBeGreaterThan(4);
    expect(rows.some(({ account_id }) => account_id === null)).toBe(true);
  });

  it('hides suppressed findings unless the status filter asks for them', async () => {
    expect(rows.some((row) => !isShown(row))).toBe(true);
    await expectRows('', isShown);
    await expectRows('status=SUPPRESSED', (row) => !isShown(row));
    await expectRows('status=SUPPRESSED,OPEN', ({ status }) => status === 'SUPPRESSED' || status === 'OPEN');
    await expectRows(ALL, () => true);
  });

  it.each(FILTERS)('filters by %s: one value, several repeated, several after commas', async (field) => {
    const values = valuesOf(field);
    const wanted = (some: readonly unknown[]) => (row: Row) => some.includes(row[field]) && (field === 'status' || isShown(row));
    for (const value of values.slice(0, 8)) await expectRows(encode(field, [value]), wanted([value]));
    const several = values.filter((_, n) => n % 2 === 0).slice(0, 10);
    const joined = several.map((value) => encodeURIComponent(value)).join(',');
    for (const query of [`${field}=${joined}&${encode(field, several)}`, encode(field, several), `${field}=${joined}`])
      await expectRows(query, wanted(several));
    if (!['severity', 'provider', 'status'].includes(field)) await expectRows(`${field}=no-such-value`, () => false);
  });

  it('joins values of one filter by OR and filters by AND', async () => {
    const pairs = FILTERS.flatMap((first, n) => FILTERS.slice(n + 1).map((second) => [first, second] as const));
    for (const [n, [first, second]] of pairs.entries()) {
      const { [first]: a, [second]: b } = rows[(n * 31) % rows.length]!;
      if (a === null || b === null) continue;
      const more = valuesOf(second)[0]!;
      const isAsked = (row: Row) => row[first] === a && (row[second] === b || row[second] === more);
      const hides = first !== 'status' && second !== 'status';
      await expectRows(`${encode(first, [a])}&${encode(second, [b, more])}`, (row) => isAsked(row) && (!hides || isShown(row)));
    }
    const { severity, provider, region, account_id, resource_type } = rows.find((row) => row.account_id !== null && isShown(row))!;
    await expectRows(
      `severity=${severity}&provider=${provider}&${encode('region', [region])}&${encode('account_id', [account_id!])}&resource_type=${resource_type}`,
      (row) =>
        isShown(row) &&
        row.severity === severity &&
        row.provider === provider &&
        row.region === region &&
        row.account_id === account_id &&
        row.resource_type === resource_type,
    );
  });

  it('filters by the moments after which findings were first and last seen', async () => {
    const moments = [...new Set(rows.map(({ last_seen_at }) => last_seen_at))].sort();
    expect(moments.length).toBeGreaterThan(2);
    for (const moment of [moments[1]!, moments[0]!, moments.at(-1)!, '2020-01-01', '2199-12-31T23:59:59+01:00']) {
      const at = new Date(moment).toISOString();
      await expectRows(`first_seen_after=${encodeURIComponent(moment)}`, (row) => isShown(row) && row.first_seen_at > at);
      await expectRows(
        `last_seen_after=${encodeURIComponent(moment)}&severity=high,low`,
        (row) => isShown(row) && row.last_seen_at > at && ['high', 'low'].includes(row.severity),
      );
    }
  });

  it.each([
    ...['.*', '(a+)+$', 'CAFÉ', '100%', 'a_b', 'BACK\\slash', '[x]', 'a,b', 'rule 1', '^', '$', '\\', 'no such text', 'x'.repeat(30)],
    // a pattern that a matcher with backtracking would not come back from
    '(a+)+$'.repeat(500),
  ])('searches for %.20p literally, in any case', async (q) => {
    const holds = (value: string | null) => value?.toLowerCase().includes(q.toLowerCase()) ?? false;
    await expectRows(`q=${encodeURIComponent(q)}`, (row) => isShown(row) && (holds(row.title) || holds(row.resource_name)));
  });

  it.each(Object.keys(ORDERS).flatMap((name) => [`-${name}`, name]))('sorts by %s without gap or repetition over pages', async (sort) => {
    const descending = ORDERS[sort.replace('-', '')]!;
    const expected = [...rows].sort(sort.startsWith('-') ? descending : (a, b) => descending(b, a));
    expect(ids(await rowsOf(found.client, prefix, `${ALL}&sort=${sort}`, 7))).toEqual(ids(expected));
  });

  it('sorts by severity, then newest, then id when nothing is asked', async () => {
    expect(ids(await rowsOf(found.client, prefix, ALL, 50))).toEqual(ids([...rows].sort(ORDERS['severity'])));
  });

  it('tells where a page stands, also past the end', async () => {
    const pages = Math.ceil(COUNT / 50);
    for (const page of [1, pages, pages + 1, 1_000_000]) {
      const answer = await found.list(`${ALL}&page=${page}`);
      expect(answer).toMatchObject({ total: COUNT, page, page_size: 50, has_more: page < pages });
      expect(answer.items).toHaveLength(page < pages ? 50 : page === pages ? COUNT - 50 * (pages - 1) : 0);
    }
    expect(await found.list(`${ALL}&page_size=1`)).toMatchObject({ page_size: 1, total: COUNT, has_more: true });
    expect(await found.list(`${ALL}&page_size=${COUNT}`)).toMatchObject({ has_more: false });
  });

  it('names the rules and resources with the most findings', async () => {
    const summary = await summaryOf(found.client, prefix, '');
    const shown = rows.filter(isShown);
    const top = (field: 'rule_id' | 'resource_uid') => {
      const counts = new Map<string, number>();
      for (const row of shown) counts.set(row[field], (counts.get(row[field]) ?? 0) + 1);
      return counts;
    };
    for (const [given, counts] of [
      [summary.top_rules.map(({ rule_id, count }) => [rule_id, count] as const), top('rule_id')],
      [summary.top_resources.map(({ resource_uid, count }) => [resource_uid, count] as const), top('resource_uid')],
    ] as const) {
      expect(given).toEqual(given.map(([key]) => [key, counts.get(key)]));
      expect(given.map(([, count]) => count)).toEqual([...counts.values()].sort((a, b) => b - a).slice(0, 10));
    }
  });

  it.each(REFUSED)('refuses ?%s with 400, for the list and the summary', (query) => found.expectRefused(query));
});
