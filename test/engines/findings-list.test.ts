import { FINDING_STATUSES } from '../../schema/model.js';
import type { Database } from '../../kit/store/database.js';
import type { NegatableFilter } from '../../kit/findings/selection.js';
import { FINDING_SORTS } from '../../kit/findings/order.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { callerOf, EACH, openFindings, READABLE } from '../support/engine-findings.js';
import { listEveryFinding, type FindingListArguments as Args } from '../../subgraphs/findings/list/list.js';

let database: Database;
let rows: FindingRow[];
beforeAll(async () => {
  ({ database, rows } = await openFindings());
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

const list = (args: Args, engines = READABLE) => listEveryFinding(callerOf(database, engines), args);

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

  const FILTERS: [NegatableFilter, (row: FindingRow) => boolean][] = [
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
    [{ not_severity: ['high'] }, (row) => shown(row) && row.severity !== 'high'],
    [{ severity: ['high', 'low'], not_severity: ['high'] }, (row) => shown(row) && row.severity === 'low'],
    [{ severity: ['high'], not_severity: ['high'] }, () => false],
    [{ not_status: ['SUPPRESSED', 'OPEN'] }, (row) => shown(row) && row.status !== 'OPEN'],
    [{ status: FINDING_STATUSES, not_status: ['OPEN'] }, ({ status }) => status !== 'OPEN'],
    [{ not_account_id: ['one'] }, (row) => shown(row) && row.account_id !== 'one'],
    [
      { not_account_id: ['one'], not_rule_id: ['a', 'b'], severity: ['low', 'info'] },
      (row) => shown(row) && row.account_id !== 'one' && row.rule_id === 'c' && ['low', 'info'].includes(row.severity),
    ],
    [{ rule_id: ['a', 'b'], not_rule_id: ['b', 'c'] }, (row) => shown(row) && row.rule_id === 'a'],
    [{ not_scan_run_id: ['run-1'], rule_id: ['a'] }, (row) => shown(row) && row.scan_run_id !== 'run-1' && row.rule_id === 'a'],
    [{ not_first_seen_after: new Date(9_000) }, (row) => shown(row) && row.first_seen_at <= new Date(9_000)],
    [
      { first_seen_after: new Date(4_000), first_seen_before: new Date(9_000) },
      (row) => shown(row) && row.first_seen_at > new Date(4_000) && row.first_seen_at < new Date(9_000),
    ],
    [{ last_seen_before: new Date(9_000) }, (row) => shown(row) && row.last_seen_at < new Date(9_000)],
    [{ q: 'A of', not_account_id: ['two'] }, (row) => shown(row) && row.rule_id === 'a' && row.account_id === 'one'],
    [{ not_q: 'a of' }, (row) => shown(row) && row.rule_id !== 'a'],
    [{ has_ticket: true }, (row) => shown(row) && row.ticket !== null],
    [{ not_has_ticket: true, account_id: ['one'] }, (row) => shown(row) && row.ticket === null && row.account_id === 'one'],
    [{ known_exploited: true }, (row) => shown(row) && row.known_exploited === true],
    [
      { not_account_id: ['one'], not_rule_id: ['a'], not_scan_run_id: ['run-0'], not_region: ['us'], not_resource_uid: ['resource-5'] },
      (row) =>
        shown(row) && row.account_id !== 'one' && row.rule_id !== 'a' && row.scan_run_id !== 'run-0' && row.resource_uid !== 'resource-5',
    ],
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

  it('narrows to engines, names only those of them that the caller may not read, and refuses others', async () => {
    const one = await list({ engine: ['iam', 'datasec'], page_size: 200 });
    expect(new Set(one.items.map(({ engine }) => engine))).toEqual(new Set(['iam']));
    expect(one).toMatchObject({ restrictedEngines: ['datasec'], degradedEngines: [] });
    const others = await list({ not_engine: ['iam', 'datasec'], page_size: 200 });
    expect(new Set(others.items.map(({ engine }) => engine))).toEqual(new Set(['check', 'cdr']));
    expect(others.restrictedEngines).toEqual([]);
    await expect(list({ engine: ['nope'] })).rejects.toThrow('engine must be one of check, iam');
  });

  it('names engines whose findings do not come in time, and counts nothing of them', async () => {
    const slow = callerOf(database, READABLE, 60);
    const tenant = slow.services.database.tenant.bind(slow.services.database);
    const late = (id: string) => {
      const own = tenant(id);
      const engine = (name: string) => {
        if (name !== 'iam') return own.engine(name);
        // never answers
        return { ...own.engine(name), collection: () => ({ find: () => new Promise(() => {}), findOne: () => new Promise(() => {}) }) };
      };
      return { ...own, engine };
    };
    const context = { ...slow, services: { ...slow.services, database: { tenant: late } } } as unknown as EngineContext;
    const page = await listEveryFinding(context, { status: FINDING_STATUSES, page_size: 200 });
    expect(page).toMatchObject({ total: 2 * EACH, degradedEngines: ['iam'], restrictedEngines: ['datasec'] });
    expect(new Set(page.items.map(({ engine }) => engine))).toEqual(new Set(['check', 'cdr']));
  });

  it('tells where a page stands, also past the end', async () => {
    expect(await list({ page: 1_000, page_size: 200 })).toMatchObject({ items: [], page: 1_000, has_more: false });
    await expect(list({ page: 0 })).rejects.toThrow('page must');
    await expect(list({ sort: 'title' })).rejects.toThrow('sort must');
  });

  it.each(['', 'last_seen_at', '-first_seen_at', 'risk_score'])(
    'is read by cursors in the order "%s", also while findings are written',
    async (sort) => {
      const wanted = expected(shown, sort);
      const ids: string[] = [];
      let after: string | null = null;
      const made: string[] = [];
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({ sort, page_size: 7, after });
        ids.push(...page.items.map(({ engine, finding_id }) => `${engine}/${finding_id}`));
        expect(page.has_more).toBe(page.next_cursor !== null);
        after = page.next_cursor;
        // what is written before the place moves no page
        const [first] = await list({ sort, page_size: 1 }).then(({ items }) => items);
        const copy = { ...rows.find(({ finding_id }) => finding_id === first!.finding_id)! };
        copy.finding_id = `${first!.finding_id.slice(0, 31)}!`;
        copy._id = findingRowId('t', 'check', copy.finding_id);
        if (made.includes(copy._id) || after === null) continue;
        made.push(copy._id);
        await database
          .tenant('t')
          .engine('check')
          .collection(findings)
          .insert({ ...copy, engine: 'check', discriminator: `w${made.length}` });
      } while (after !== null);
      await database
        .tenant('t')
        .engine('check')
        .collection(findings)
        .remove({ _id: { $in: made } });
      expect(ids.filter((id) => !id.endsWith('!'))).toEqual(wanted);
    },
  );

  it('refuses cursors of another order, of nobody, and beside a page number', async () => {
    const { next_cursor } = await list({ page_size: 7 });
    await expect(list({ after: next_cursor, sort: 'risk_score' })).rejects.toThrow('after must');
    for (const after of ['', 'x', Buffer.from('{"sort":"a","engine":"","values":[]}').toString('base64url')])
      await expect(list({ after })).rejects.toThrow('after must');
    await expect(list({ after: next_cursor, page: 2 })).rejects.toThrow('exclude');
  });
});
