import { FINDING_STATUSES } from '../../schema/model.js';
import { within } from '../support/within.js';
import { openWorld, type Client, type World } from '../support/world.js';
import { findingEngines } from './registry-facts.js';
import {
  ALL,
  feedInRuns,
  isTriedThoroughly,
  listOf,
  mixture,
  ORDERS,
  rowsOf,
  setStatus,
  summarized,
  summaryOf,
  type Row,
} from './list-model.js';

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

describe.each(findingEngines.map(({ viewSegment, prefix }) => [viewSegment, prefix]))('the list of %s', (segment, prefix) => {
  const isThorough = isTriedThoroughly(segment);
  /** The cases that are tried on this engine: all of them, or one. */
  const some = <T>(cases: readonly T[], one = 0): readonly T[] => (isThorough ? cases : [cases[one]!]);
  const COUNT = isThorough ? 120 : 60;
  let client: Client;
  let rows: Row[];

  beforeAll(async () => {
    client = await (await world.tenant()).as('analyst');
    await feedInRuns(client, segment, mixture(COUNT, 7));
    const fresh = await rowsOf(client, prefix, ALL);
    for (const [n, { finding_id }] of fresh.filter((_, n) => n % 2 === 0).entries()) {
      const { status, text } = await setStatus(client, segment, finding_id, FINDING_STATUSES[1 + (n % 4)]!);
      expect({ status, text }).toMatchObject({ status: 200 });
    }
    rows = await rowsOf(client, prefix, ALL);
  }, 60_000);

  /** The query's list, summary and pages are exactly the rows that `wanted` tells. */
  const expectRows = async (query: string, wanted: (row: Row) => boolean) => {
    const expected = rows.filter(wanted).sort(ORDERS['severity']!);
    const [page, summary] = await Promise.all([listOf(client, prefix, `${query}&page_size=200`), summaryOf(client, prefix, query)]);
    expect({ query, total: page.total, ids: ids(page.items) }).toEqual({ query, total: expected.length, ids: ids(expected) });
    expect({ query, ...summary }).toMatchObject({ query, ...summarized(expected) });
  };
  const valuesOf = (field: Filter) => [...new Set(rows.map((row) => row[field]).filter((value) => value !== null))].sort();
  const encode = (field: Filter, values: readonly string[]) => values.map((value) => `${field}=${encodeURIComponent(value)}`).join('&');

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
    for (const value of some(values.slice(0, 8))) await expectRows(encode(field, [value]), wanted([value]));
    const several = values.filter((_, n) => n % 2 === 0).slice(0, 10);
    const joined = several.map((value) => encodeURIComponent(value)).join(',');
    for (const query of some([`${field}=${joined}&${encode(field, several)}`, encode(field, several), `${field}=${joined}`]))
      await expectRows(query, wanted(several));
    if (!['severity', 'provider', 'status'].includes(field)) await expectRows(`${field}=no-such-value`, () => false);
  });

  it('joins values of one filter by OR and filters by AND', async () => {
    const pairs = some(FILTERS.flatMap((first, n) => FILTERS.slice(n + 1).map((second) => [first, second] as const)));
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
    for (const moment of some([moments[1]!, moments[0]!, moments.at(-1)!, '2020-01-01', '2199-12-31T23:59:59+01:00'])) {
      const at = new Date(moment).toISOString();
      await expectRows(`first_seen_after=${encodeURIComponent(moment)}`, (row) => isShown(row) && row.first_seen_at > at);
      await expectRows(
        `last_seen_after=${encodeURIComponent(moment)}&severity=high,low`,
        (row) => isShown(row) && row.last_seen_at > at && ['high', 'low'].includes(row.severity),
      );
    }
  });

  it.each(
    some(['.*', '(a+)+$', 'CAFÉ', '100%', 'a_b', 'BACK\\slash', '[x]', 'a,b', 'rule 1', '^', '$', '\\', 'no such text', 'x'.repeat(30)], 2),
  )('searches for %p literally, in any case and fast', async (q) => {
    const holds = (value: string | null) => value?.toLowerCase().includes(q.toLowerCase()) ?? false;
    await within(500, () => listOf(client, prefix, `q=${encodeURIComponent(q)}`));
    await expectRows(`q=${encodeURIComponent(q)}`, (row) => isShown(row) && (holds(row.title) || holds(row.resource_name)));
  });

  it('takes a long hostile text for what it is, fast', async () => {
    const ask = () => listOf(client, prefix, `q=${encodeURIComponent('(a+)+$'.repeat(500))}`);
    expect((await within(500, ask)).total).toBe(0);
  });

  it.each(some(Object.keys(ORDERS).flatMap((name) => [`-${name}`, name])))(
    'sorts by %s without gap or repetition over pages',
    async (sort) => {
      const descending = ORDERS[sort.replace('-', '')]!;
      const expected = [...rows].sort(sort.startsWith('-') ? descending : (a, b) => descending(b, a));
      expect(ids(await rowsOf(client, prefix, `${ALL}&sort=${sort}`, 7))).toEqual(ids(expected));
    },
  );

  it('sorts by severity, then newest, then id when nothing is asked', async () => {
    expect(ids(await rowsOf(client, prefix, ALL, 50))).toEqual(ids([...rows].sort(ORDERS['severity'])));
  });

  it('tells where a page stands, also past the end', async () => {
    const pages = Math.ceil(COUNT / 50);
    for (const page of [1, pages, pages + 1, 1_000_000]) {
      const answer = await listOf(client, prefix, `${ALL}&page=${page}`);
      expect(answer).toMatchObject({ total: COUNT, page, page_size: 50, has_more: page < pages });
      expect(answer.items).toHaveLength(page < pages ? 50 : page === pages ? COUNT - 50 * (pages - 1) : 0);
    }
    expect(await listOf(client, prefix, `${ALL}&page_size=1`)).toMatchObject({ page_size: 1, total: COUNT, has_more: true });
    expect(await listOf(client, prefix, `${ALL}&page_size=${COUNT}`)).toMatchObject({ has_more: false });
  });

  it('names the rules and resources with the most findings', async () => {
    const summary = await summaryOf(client, prefix, '');
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

  it.each(some(REFUSED))('refuses ?%s with 400, for the list and the summary', async (query) => {
    for (const path of ['findings', 'summary']) {
      const { status, body } = await client.call(`/api/v1/${prefix}/${path}?${query}`);
      expect({ path, status, body }).toMatchObject({
        path,
        status: 400,
        body: { page: prefix, error_code: 'BAD_REQUEST', degraded_engines: [] },
      });
    }
  });
});
