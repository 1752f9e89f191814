import { MongoClient, type Collection, type Document } from 'mongodb';
import { openEmbeddedStore, type EmbeddedStore } from '../../embedded/index.js';
import { FINDING_STATUSES, PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { findingOrder, FINDING_SORTS } from '../../kit/findings/order.js';
import { reversed } from '../../kit/store/far-page.js';
import { partsFrom } from '../../kit/store/places.js';
import type { Filter } from '../../kit/store/query.js';
import type { FINDING_FILTERS } from '../../kit/findings/filters.js';
import { listCondition, type FindingFilter } from '../../kit/findings/filters.js';
import { findings } from '../../kit/findings/row.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { random } from '../contract/list-model.js';

const PAGE = 50;
/** Ranges merged for one page: four statuses, five severities. */
const RANGES = 20;
/** What the planner sorts in memory rather than walking an index: a constant of the embedded store. */
const FEW = 1_000;
const BOUND = Math.max(PAGE + RANGES + 1, FEW);
const SMALL = 4_000;
const LARGE = 16_000;
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

let store: EmbeddedStore;
let client: MongoClient;

/** A tenant's findings: values as skewed as estates are, times as of rescans of the last ninety days. */
function rows(count: number): Document[] {
  const next = random(7);
  const skewed = (most: number): number => Math.floor(most * next() ** 2);
  return Array.from({ length: count }, (_, n) => {
    const severity = SEVERITIES[skewed(5)]!;
    const first = START + Math.floor(next() * 90) * DAY;
    return {
      _id: `t|check|${n}`,
      tenant_id: 't',
      engine: 'check',
      finding_id: n.toString(16).padStart(32, '0'),
      status: FINDING_STATUSES[skewed(5)],
      severity_rank: severityRank(severity),
      risk_score: 5 * Math.floor(20 * next()),
      due_rank: 1_000 * Math.floor(20 * next()),
      provider: PROVIDERS[skewed(7)],
      account_id: `account-${skewed(40)}`,
      region: `region-${skewed(20)}`,
      resource_type: `type-${skewed(60)}`,
      rule_id: `rule-${skewed(200)}`,
      resource_uid: `resource-${Math.floor((count / 5) * next())}`,
      discriminator: `${n}`,
      scan_run_id: `run-${skewed(90)}`,
      first_seen_at: new Date(first),
      last_seen_at: new Date(first + Math.floor(next() * 30) * DAY),
      source: 'prowler',
      artifact: null,
      // most have neither
      resolved_at: n % 10 === 0 ? new Date(START + (n % 900) * (DAY / 10)) : null,
      regressed_at: n % 20 === 1 ? new Date(START + (n % 900) * (DAY / 10)) : null,
    };
  });
}

const filled: Record<number, Collection> = {};
beforeAll(async () => {
  store = await openEmbeddedStore({ dir: null });
  client = await new MongoClient(store.uri).connect();
  for (const size of [SMALL, LARGE]) {
    const collection = client.db('test').collection(`findings_${size}`);
    filled[size] = collection;
    await collection.createIndexes(findings.indexes.map(({ key, options }) => ({ key, ...options })));
    const all = rows(size);
    for (let n = 0; n < size; n += 1_000) await collection.insertMany(all.slice(n, n + 1_000) as never);
  }
});
afterAll(async () => {
  await client.close();
  await store.close();
});

/** A filter's value: one that many findings have, and one that few have. */
const VALUES: {
  readonly [Name in Exclude<keyof typeof FINDING_FILTERS, 'q'>]: readonly [common: FindingFilter[Name], rare: FindingFilter[Name]];
} = {
  severity: [['critical'], ['info']],
  provider: [[PROVIDERS[0]!], [PROVIDERS[6]!]],
  status: [['OPEN'], ['FALSE_POSITIVE', 'SUPPRESSED']],
  region: [['region-0', 'region-1'], ['region-19']],
  account_id: [['account-0'], ['account-39']],
  resource_type: [['type-0', 'type-1'], ['type-59']],
  rule_id: [['rule-0'], ['rule-199']],
  resource_uid: [['resource-1'], ['resource-2', 'resource-3']],
  scan_run_id: [['run-0'], ['run-89']],
  first_seen_after: [new Date(START), new Date(START + 88 * DAY)],
  last_seen_after: [new Date(START), new Date(START + 117 * DAY)],
};
type Name = keyof typeof VALUES;
const NAMES = Object.keys(VALUES) as Name[];
const SORTS = Object.keys(FINDING_SORTS).flatMap((sort) => [sort, `-${sort}`]);

interface Examined {
  what: string;
  keys: number;
  docs: number;
  found: number;
}

/** What a page costs; that of a part of the list, where there is one, in the part's own order. */
async function examine(size: number, filter: FindingFilter, sort: string, part?: { within: Filter; way: 1 | -1 }): Promise<Examined> {
  const order = findingOrder(sort);
  const listed = listCondition(filter, order);
  const condition = { ...(part ? { $and: [listed, part.within] } : listed), tenant_id: 't', engine: 'check' };
  const plan = await filled[size]!.find(condition)
    .sort((part?.way === -1 ? reversed(order) : order) as never)
    .limit(PAGE)
    .explain('executionStats');
  const { totalKeysExamined: keys, totalDocsExamined: docs, nReturned: found } = plan['executionStats'] as Record<string, number>;
  const what = `${Object.entries(filter)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')} by ${sort}`;
  return { what, keys: keys!, docs: docs!, found: found! };
}
const worst = ({ keys, docs }: Examined) => Math.max(keys, docs);

const allOf = (names: readonly Name[]): FindingFilter[] =>
  names.reduce<FindingFilter[]>(
    (filters, name) => filters.flatMap((filter) => VALUES[name].map((value) => ({ ...filter, [name]: value }))),
    [{}],
  );
const singles = [{}, ...NAMES.flatMap((name) => allOf([name]))];
const pairs = NAMES.flatMap((one, n) => NAMES.slice(n + 1).flatMap((other) => allOf([one, other])));

/** Those of a page's examinations that go past the bound in the larger tenant. */
async function beyond(filters: readonly FindingFilter[], sorts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const filter of filters)
    for (const sort of sorts) {
      const examined = await examine(LARGE, filter, sort);
      if (worst(examined) > BOUND) found.push(`${examined.what}: ${worst(examined)}`);
    }
  return found;
}

const INDEXED = SORTS.filter((sort) => /severity|last_seen_at/.test(sort));
const OTHER = SORTS.filter((sort) => !INDEXED.includes(sort));

describe('a page of findings', () => {
  it('is found along an index under every filter alone, in every order', async () => {
    expect(await beyond(singles, SORTS)).toEqual([]);
  });

  it('is found along an index from a place far behind, both ways, under every filter alone, in every order', async () => {
    const far: string[] = [];
    for (const filter of singles)
      for (const sort of SORTS) {
        const order = findingOrder(sort);
        const all = filled[LARGE]!.find({ ...listCondition(filter, order), tenant_id: 't', engine: 'check' });
        const [row] = await all
          .sort(order as never)
          .skip(2_000)
          .limit(1)
          .toArray();
        if (!row) continue;
        const from = { at: 2_000, values: Object.keys(order).map((field) => row[field] as unknown) };
        for (const way of [1, -1] as const)
          for (const within of partsFrom(order, { from, way })) {
            const examined = await examine(LARGE, filter, sort, { within, way });
            if (worst(examined) > BOUND) far.push(`${examined.what} ${JSON.stringify(within)}: ${worst(examined)}`);
          }
      }
    expect(far).toEqual([]);
  });

  it('is found along an index under every pair of filters, by severity and last_seen_at', async () => {
    expect(await beyond(pairs, INDEXED)).toEqual([]);
  });

  it('is found along an index under pairs of filters by risk_score and first_seen_at, unless both select many findings', async () => {
    const chosen = pairs.filter((filter) =>
      Object.entries(filter).some(
        ([name, value]) => VALUES[name as Name][1] === value && !['severity', 'provider', 'status'].includes(name),
      ),
    );
    expect(chosen.length).toBeGreaterThan(100);
    expect(await beyond(chosen, OTHER)).toEqual([]);
  });

  it('costs as much in a tenant four times as large', async () => {
    for (const filter of [{}, ...NAMES.map((name) => ({ [name]: VALUES[name][0] }) as FindingFilter)])
      for (const sort of INDEXED) {
        const [small, large] = [await examine(SMALL, filter, sort), await examine(LARGE, filter, sort)];
        expect(small.found).toBeGreaterThan(0);
        // what few findings match is read whole
        if (small.found === PAGE && large.found === PAGE)
          expect({ ...large, grows: worst(large) > Math.max(BOUND, worst(small) + RANGES) }).toMatchObject({ grows: false });
      }
  });
});

describe('the findings of a day', () => {
  const day = { $gte: new Date(START + 30 * DAY), $lt: new Date(START + 31 * DAY) };

  it.each(['resolved_at', 'regressed_at'])('by %s are read along its index, which has no entry of all others', async (column) => {
    const scope = { tenant_id: 't', engine: 'check' };
    const statsOf = async (condition: Filter) => {
      const plan = await filled[LARGE]!.find({ ...scope, [column]: condition }).explain('executionStats');
      const { totalKeysExamined: keys, totalDocsExamined: docs, nReturned: found } = plan['executionStats'] as Record<string, number>;
      return { keys: keys!, docs: docs!, found: found!, index: JSON.stringify(plan['queryPlanner']).includes(`engine_1_${column}_1`) };
    };
    const ofDay = await statsOf(day);
    expect(ofDay.found).toBeGreaterThan(0);
    expect(ofDay).toMatchObject({ docs: ofDay.found, index: true });
    expect(ofDay.keys).toBeLessThanOrEqual(ofDay.found + 1);
    const all = await filled[LARGE]!.countDocuments({ ...scope, [column]: { $ne: null } });
    expect(await statsOf({ $gt: new Date(1) })).toMatchObject({ docs: all, found: all, index: true });
    expect(all).toBeLessThan(LARGE / 9);
  });

  it('that were resolved after a moment, and few, are a page that costs no more than they are', async () => {
    const after = new Date(START + 89 * DAY);
    for (const sort of SORTS) {
      const order = findingOrder(sort);
      const condition = { ...listCondition({ resolved_after: after }, order), tenant_id: 't', engine: 'check' };
      const plan = await filled[LARGE]!.find(condition)
        .sort(order as never)
        .limit(PAGE)
        .explain('executionStats');
      const { totalDocsExamined: docs } = plan['executionStats'] as Record<string, number>;
      expect([sort, docs! <= FEW]).toEqual([sort, true]);
    }
  });
});
