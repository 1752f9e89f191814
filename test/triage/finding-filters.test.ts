import { triageFindings } from '../../kit/findings/triage/write.js';
import type { Database } from '../../kit/store/database.js';
import { listEveryFinding, type FindingListArguments } from '../../subgraphs/findings/list/list.js';
import { factsOf, findingsEstate, openFindings } from '../support/findings-estate.js';

const DAY = 86_400_000;

let database: Database;
beforeAll(async () => {
  database = await openFindings();
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

function estate() {
  const own = findingsEstate(database);
  const found = async (args: FindingListArguments) => {
    const { items, total } = await listEveryFinding(own.contextOf('analyst'), args);
    expect(total).toBe(items.length);
    return items.map(({ resource_uid }) => resource_uid).sort();
  };
  return { ...own, found };
}

it('overdue goes by the moment of the question, beside any other filter, and has a negation', async () => {
  const { clock, report, rowsOf, found } = estate();
  await report('check', 'one', [
    { resource_uid: 'arn:a', severity: 'critical', title: 'Alpha' },
    { resource_uid: 'arn:b', severity: 'medium', title: 'Beta' },
    { resource_uid: 'arn:c', severity: 'critical', title: 'Gamma' },
    { resource_uid: 'arn:d', severity: 'low', title: 'Delta' },
  ]);
  await rowsOf('check').update({ resource_uid: 'arn:c' }, { $set: { status: 'FALSE_POSITIVE' } });
  expect(await found({ overdue: true })).toEqual([]);
  clock.advance(8 * DAY);
  expect(await found({ overdue: true })).toEqual(['arn:a']);
  for (const args of [{ overdue: false }, { not_overdue: true }] as const) expect(await found(args)).toEqual(['arn:b', 'arn:c', 'arn:d']);
  expect(await found({ not_overdue: false })).toEqual(['arn:a']);
  expect(await found({ overdue: true, not_overdue: true })).toEqual([]);
  expect(await found({ overdue: true, status: ['IN_PROGRESS'] })).toEqual([]);
  expect(await found({ overdue: true, status: ['OPEN'], q: 'alp' })).toEqual(['arn:a']);
  expect(await found({ overdue: true, q: 'bet' })).toEqual([]);
  expect(await found({ overdue: false, q: 'a' })).toEqual(['arn:b', 'arn:c', 'arn:d']);
  clock.advance(90 * DAY);
  expect(await found({ overdue: true })).toEqual(['arn:a', 'arn:b']);
});

it('a technique takes its sub-techniques in, and nothing that merely begins alike', async () => {
  const { report, found } = estate();
  await report('check', 'one', [
    { resource_uid: 'arn:a', severity: 'low', mitre_techniques: ['T1078'] },
    { resource_uid: 'arn:b', severity: 'low', mitre_techniques: ['T1530', 'T1078.004'] },
    { resource_uid: 'arn:c', severity: 'low', mitre_techniques: ['T10789', 'T1530'] },
    { resource_uid: 'arn:d', severity: 'low' },
  ]);
  expect(await found({ technique: ['T1078'] })).toEqual(['arn:a', 'arn:b']);
  expect(await found({ technique: ['T1078.004', 'T1530'] })).toEqual(['arn:b', 'arn:c']);
  expect(await found({ not_technique: ['T1078'] })).toEqual(['arn:c', 'arn:d']);
  expect(await found({ technique: ['T10.*'] })).toEqual([]);
});

it('sorts by due date with what has none at the end, in pages and behind cursors, as dates change', async () => {
  const { contextOf, clock, report, found } = estate();
  const seen = (['medium', 'critical', 'low', 'high', 'low'] as const).map((severity, n) => ({ resource_uid: `arn:${n}`, severity }));
  await report('check', 'one', seen);
  const context = contextOf('analyst');
  const order = async (sort: string) => {
    const uids: string[] = [];
    for (let after: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof listEveryFinding>> = await listEveryFinding(context, { sort, after, page_size: 2 });
      uids.push(...page.items.map(({ resource_uid }) => resource_uid.slice(4)));
      after = page.next_cursor;
      if (after === null) return uids.join('');
    }
  };
  expect((await order('due_at')).slice(0, 3)).toBe('130');
  expect((await order('-due_at')).slice(2)).toBe('031');
  const { items } = await listEveryFinding(context, { severity: ['low'] });
  const asked = { due_at: clock.now() };
  const ids = items.slice(0, 1).map(({ finding_id }) => finding_id);
  await context.transaction((transaction) =>
    triageFindings(contextOf('analyst', 'check'), factsOf('check'), { ids, asked, at: clock.now() }, transaction),
  );
  expect((await order('due_at')).slice(0, 4)).toBe(`${items[0]!.resource_uid.slice(4)}130`);
  expect(await found({})).toHaveLength(5);
});
