import { applyRule } from '../../kit/engine/retention.js';
import { feedRetention } from '../../kit/findings/feed/retention.js';
import { findings } from '../../kit/findings/row.js';
import { FindingService } from '../../kit/findings/service.js';
import { setTicket } from '../../kit/findings/ticket.js';
import type { Database } from '../../kit/store/database.js';
import type { Severity } from '../../schema/model.js';
import type { Role } from '../../schema/permissions.js';
import { findingChanges, type FeedArguments } from '../../subgraphs/findings/changes/feed.js';
import { factsOf, findingsEstate, openFindings } from '../support/findings-estate.js';

const DAY = 86_400_000;
const never = new AbortController().signal;

let database: Database;
beforeAll(async () => {
  database = await openFindings();
});
afterAll(async () => {
  await database.drop();
  await database.close();
});

/** A tenant of its own, and its feed. */
function estate() {
  const own = findingsEstate(database);
  const report = (engine: string, run: string, seen: Readonly<Record<string, Severity>>) =>
    own.report(
      engine,
      run,
      Object.entries(seen).map(([resource_uid, severity]) => ({ resource_uid, severity })),
    );
  const read = (args: FeedArguments = {}, role: Role = 'analyst') => findingChanges(own.contextOf(role), args);
  /** Follows the feed to its end. */
  const follow = async (args: FeedArguments = {}, role: Role = 'analyst') => {
    const items: Awaited<ReturnType<typeof read>>['items'] = [];
    for (let after = args.after ?? null; ;) {
      const page = await read({ ...args, after }, role);
      items.push(...page.items);
      after = page.next_cursor;
      if (!page.has_more) return { items, cursor: after };
    }
  };
  return { ...own, report, read, follow };
}

const told = (
  items: readonly { kind: string; status: string; previous_status: string | null; severity: string; previous_severity: string | null }[],
) =>
  items.map(({ kind, status, previous_status, severity, previous_severity }) =>
    [kind, previous_status, status, ...(previous_severity ? [previous_severity, severity] : [])].join(' '),
  );

it('tells what runs and people do to a finding, in order, with the finding as it stands now', async () => {
  const { clock, services, contextOf, report, follow } = estate();
  const step = () => clock.advance(1_000);
  const [id] = await report('check', 'one', { 'arn:a': 'high' });
  step();
  await report('check', 'two', { 'arn:a': 'high' });
  step();
  await report('check', 'three', { 'arn:a': 'low' });
  const context = contextOf('analyst', 'check');
  const service = new FindingService(factsOf('check'), context);
  await service.setStatus(id!, 'IN_PROGRESS', null, null);
  await setTicket(context, factsOf('check'), { finding_id: id!, ticket_id: 'SEC-1', ticket_url: 'https://tracker.example/1' });
  step();
  await report('check', 'four', {});
  step();
  await report('check', 'five', { 'arn:a': 'low' });

  const { items } = await follow();
  expect(told(items)).toEqual([
    'opened  OPEN',
    'changed  OPEN high low',
    'triaged OPEN IN_PROGRESS',
    'triaged  IN_PROGRESS',
    'resolved IN_PROGRESS RESOLVED',
    'regressed RESOLVED OPEN',
  ]);
  expect(items.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  const now = await services.database.tenant(context.auth.tenant_id).engine('check').collection(findings).findOne({});
  expect(items.map(({ finding }) => finding?.version)).toEqual(Array(6).fill(now!.version));
  expect(items.at(-1)).toMatchObject({ engine: 'check', finding_id: id, version: now!.version });
});

it('gives the same changes in pages of any size, from any cursor, and those of other severities and kinds are passed over', async () => {
  const { report, read, follow } = estate();
  await report('check', 'one', { 'arn:a': 'high', 'arn:b': 'low', 'arn:c': 'critical' });
  await report('encryption', 'two', { 'arn:a': 'medium' });
  await report('check', 'three', { 'arn:a': 'low', 'arn:b': 'low' });
  const { items, cursor } = await follow({ limit: 500 });
  expect(items).toHaveLength(6);
  expect((await follow({ limit: 1 })).items).toEqual(items);
  expect((await read({ after: cursor })).items).toEqual([]);
  const first = await read({ limit: 2 });
  expect((await follow({ after: first.next_cursor })).items).toEqual(items.slice(2));
  // what was high and is low by now is told to who asks for either
  expect((await follow({ severity: ['high'] })).items.map(({ kind }) => kind)).toEqual(['opened', 'changed']);
  expect((await follow({ kind: ['resolved'], limit: 1 })).items.map(({ severity }) => severity)).toEqual(['critical']);
  expect((await follow({ engine: ['encryption'] })).items.map(({ engine }) => engine)).toEqual(['encryption']);
  const behind = (await read({ from: 'now' })).next_cursor;
  await report('encryption', 'four', {});
  expect(told((await read({ after: behind })).items)).toEqual(['resolved OPEN RESOLVED']);
});

it('tells nothing of engines that the caller may not read, and goes on behind it', async () => {
  const { report, read, follow } = estate();
  await report('encryption', 'one', { 'arn:a': 'high' });
  await report('check', 'two', { 'arn:a': 'high' });
  await report('encryption', 'three', {});
  const viewer = await follow({}, 'viewer');
  expect(viewer.items.map(({ engine }) => engine)).toEqual(['check']);
  expect((await read({ after: viewer.cursor }, 'viewer')).has_more).toBe(false);
  expect((await read({ engine: ['encryption'] }, 'viewer')).restrictedEngines).toEqual(['encryption']);
  expect((await read({ engine: ['encryption'] }, 'viewer')).items).toEqual([]);
});

it('leaves out none and moves none while several write at once', async () => {
  const { report, read } = estate();
  const RUNS = 3;
  let isDone = false;
  const writing = Promise.all(
    ['check', 'encryption', 'threat'].map(async (engine) => {
      for (let n = 0; n < RUNS; n++) await report(engine, `${engine}-${n}`, { [`arn:${n}`]: 'high', [`arn:x${n}`]: 'low' });
    }),
  ).then(() => (isDone = true));
  const seen: number[] = [];
  let after: string | null = null;
  for (let isLast = false; !isLast;) {
    isLast = isDone;
    for (;;) {
      const page: Awaited<ReturnType<typeof read>> = await read({ after, limit: 3 });
      seen.push(...page.items.map(({ seq }) => seq));
      after = page.next_cursor;
      if (!page.has_more) break;
    }
  }
  await writing;
  // each run opens two, and closes those of the run before
  const total = 3 * (2 * RUNS + 2 * (RUNS - 1));
  expect(seen).toEqual(Array.from({ length: total }, (_, n) => n + 1));
});

it('refuses cursors that are of another tenant or none, and says GONE where changes are kept no more', async () => {
  const { tenant_id, clock, services, report, read } = estate();
  await report('check', 'one', { 'arn:a': 'high' });
  const old = await read();
  await report('check', 'two', { 'arn:a': 'low' });
  const tenant = { tenant_id, settings: { change_retention_days: 7 } };
  await applyRule(services, feedRetention, tenant, never);
  expect((await read({ after: old.next_cursor })).items).toHaveLength(1);
  clock.advance(8 * DAY);
  await applyRule(services, feedRetention, tenant, never);
  await expect(read({ after: old.next_cursor })).rejects.toMatchObject({ extensions: { code: 'GONE' } });
  expect((await read()).items).toEqual([]);
  await report('check', 'three', {});
  expect(told((await read()).items)).toEqual(['resolved OPEN RESOLVED']);
  const other = estate();
  for (const after of [old.next_cursor, 'garbage', ''])
    await expect(other.read({ after })).rejects.toMatchObject({ extensions: { code: 'BAD_REQUEST' } });
  for (const limit of [0, 501]) await expect(read({ limit })).rejects.toMatchObject({ extensions: { code: 'BAD_REQUEST' } });
});
