import { randomUUID } from 'node:crypto';
import { FINDING_STATUSES, SEVERITIES } from '../../schema/model.js';
import { Database } from '../../kit/store/database.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { findingCounters } from '../../kit/findings/counters.js';
import type { FindingFilter } from '../../kit/findings/filters.js';
import { FINDING_SORTS } from '../../kit/findings/order.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { listAcross } from '../../kit/findings/across.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { pick, random } from '../contract/list-model.js';

const ENGINES = ['check', 'iam', 'datasec', 'cdr'];
const READABLE = new Map([
  ['check', 'check'],
  ['iam', 'iam'],
  ['cdr', 'cdr'],
]);
const EACH = 60;

let database: Database;
const rows: FindingRow[] = [];
beforeAll(async () => {
  const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
  database = await Database.open(uri, `across_${randomUUID().slice(0, 8)}`, [findings, findingCounters, findingTexts]);
  const next = random(3);
  for (const engine of ENGINES) {
    const made = Array.from({ length: EACH }, (_, n) => {
      const severity = pick(next, SEVERITIES);
      const finding_id = Math.floor(next() * 2 ** 32)
        .toString(16)
        .padStart(32, '0');
      return {
        _id: findingRowId('t', engine, finding_id),
        tenant_id: 't',
        engine,
        finding_id,
        status: pick(next, FINDING_STATUSES),
        severity,
        severity_rank: severityRank(severity),
        risk_score: 10 * Math.floor(next() * 10),
        provider: 'aws',
        account_id: pick(next, ['one', 'two']),
        region: 'eu',
        resource_type: 'aws_s3_bucket',
        rule_id: pick(next, ['a', 'b', 'c']),
        resource_uid: `resource-${n}`,
        scan_run_id: `run-${n % 3}`,
        discriminator: '',
        first_seen_at: new Date(1_000 * Math.floor(next() * 20)),
        last_seen_at: new Date(1_000 * Math.floor(next() * 20)),
      } as unknown as FindingRow;
    });
    const scoped = database.tenant('t').engine(engine);
    const counters = new CounterChanges();
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

type Args = Parameters<typeof listAcross>[2];
const list = (args: Args, engines = READABLE) => listAcross(database.tenant('t'), engines, args);

/** What the list must be, by sorting everything. */
function expected(selects: (row: FindingRow) => boolean, sort: string, engines = READABLE): string[] {
  const descending = sort.startsWith('-') || sort === '';
  const order = [...Object.entries(FINDING_SORTS[sort.replace('-', '') || 'severity']!)] as [keyof FindingRow, 1 | -1][];
  const compare = (one: FindingRow, other: FindingRow): number => {
    for (const [field, way] of order) {
      const [a, b] = [one[field] as number, other[field] as number];
      if (a < b) return descending ? -way : way;
      if (a > b) return descending ? way : -way;
    }
    return 0;
  };
  return rows
    .filter((row) => engines.has(row.engine) && selects(row))
    .sort(compare)
    .map(({ engine, finding_id }) => `${engine}/${finding_id}`);
}
const shown = ({ status }: FindingRow) => status !== 'SUPPRESSED';

/** All pages of a list, one after the other. */
async function pages(args: Args): Promise<{ ids: string[]; totals: Set<number> }> {
  const ids: string[] = [];
  const totals = new Set<number>();
  for (let page = 1; ; page++) {
    const { items, total, has_more } = await list({ ...args, page, page_size: 7 });
    ids.push(...items.map(({ engine, finding_id }) => `${engine}/${finding_id}`));
    totals.add(total);
    if (!has_more) return { ids, totals };
  }
}

describe('one list over engines', () => {
  it.each(['', ...Object.keys(FINDING_SORTS).flatMap((sort) => [sort, `-${sort}`])])(
    'is in the order "%s", without gap or repetition',
    async (sort) => {
      const wanted = expected(shown, sort);
      expect(await pages({ sort })).toEqual({ ids: wanted, totals: new Set([wanted.length]) });
    },
  );

  const FILTERS: [FindingFilter, (row: FindingRow) => boolean][] = [
    [{ severity: ['high', 'low'] }, (row) => shown(row) && ['high', 'low'].includes(row.severity)],
    [{ status: ['SUPPRESSED', 'OPEN'] }, ({ status }) => ['SUPPRESSED', 'OPEN'].includes(status)],
    [{ account_id: ['one'], severity: ['critical'] }, (row) => shown(row) && row.account_id === 'one' && row.severity === 'critical'],
    [{ rule_id: ['a', 'c'] }, (row) => shown(row) && row.rule_id !== 'b'],
    [{ last_seen_after: new Date(9_000) }, (row) => shown(row) && row.last_seen_at > new Date(9_000)],
    [
      { first_seen_after: new Date(15_000), rule_id: ['b'] },
      (row) => shown(row) && row.first_seen_at > new Date(15_000) && row.rule_id === 'b',
    ],
    [{ resource_uid: ['resource-1'] }, (row) => shown(row) && row.resource_uid === 'resource-1'],
    [{ account_id: ['none'] }, () => false],
  ];
  it.each(FILTERS)('takes the filters of an engine: %j', async (filter, selects) => {
    for (const sort of ['', 'last_seen_at', '-risk_score']) {
      const wanted = expected(selects, sort);
      expect(await pages({ ...filter, sort })).toEqual({ ids: wanted, totals: new Set([wanted.length]) });
    }
  });

  it('holds nothing of an engine that the caller may not read', async () => {
    const { total } = await list({ status: FINDING_STATUSES });
    expect(total).toBe(3 * EACH);
    expect(await list({}, new Map())).toMatchObject({ items: [], total: 0 });
    const one = await list({ page_size: 200 }, new Map([['iam', 'iam']]));
    expect(new Set(one.items.map(({ engine }) => engine))).toEqual(new Set(['iam']));
  });

  it('tells where a page stands, also past the end', async () => {
    expect(await list({ page: 1_000, page_size: 200 })).toMatchObject({ items: [], page: 1_000, has_more: false });
    await expect(list({ page: 0 })).rejects.toThrow('page must');
    await expect(list({ sort: 'title' })).rejects.toThrow('sort must');
  });
});
