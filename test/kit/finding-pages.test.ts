import { randomUUID } from 'node:crypto';
import { FINDING_STATUSES, PROVIDERS, SEVERITIES } from '../../schema/model.js';
import { CounterChanges } from '../../kit/findings/counter-changes.js';
import { findingCounters } from '../../kit/findings/counters.js';
import { findingCondition, type FindingFilter } from '../../kit/findings/filters.js';
import { comparing, findingOrder, FINDING_SORTS, KEY_FIELDS, type Key } from '../../kit/findings/order.js';
import { readPage } from '../../kit/findings/page.js';
import { severityRank } from '../../kit/findings/risk-score.js';
import { findingRowId, findings, type FindingRow } from '../../kit/findings/row.js';
import { findingTexts } from '../../kit/findings/texts.js';
import { Database, type EngineDatabase } from '../../kit/store/database.js';
import type { Filter, FindOptions } from '../../kit/store/query.js';
import { pick, random } from '../contract/list-model.js';

const ENGINE = 'check';
const COUNT = 3_000;
const PAGE = 50;
const SORTS = Object.keys(FINDING_SORTS).flatMap((sort) => [sort, `-${sort}`]);
const next = random(23);
const whole = (most: number) => Math.floor(most * next());

/** The database as this process reaches it, and as another one does. */
let [here, elsewhere]: Database[] = [];
let tenant: string;
let serial = 0;
const of = (database: Database): EngineDatabase => database.tenant(tenant).engine(ENGINE);

beforeAll(async () => {
  const [uri, name] = [process.env['PALISADE_TEST_MONGODB_URI']!, `pages_${randomUUID().slice(0, 8)}`];
  const all = [findings, findingCounters, findingTexts] as never[];
  here = await Database.open(uri, name, all);
  elsewhere = await Database.open(uri, name, all);
});
afterAll(async () => {
  await elsewhere!.close();
  await here!.drop();
  await here!.close();
});

/** What places a finding in an order, and what it is filtered by: few values, so that many are alike. */
function told(): Partial<FindingRow> {
  const severity = SEVERITIES[Math.floor(5 * next() ** 2)]!;
  return {
    severity,
    severity_rank: severityRank(severity),
    status: pick(next, FINDING_STATUSES),
    risk_score: 5 * whole(4),
    due_rank: 1_000 * whole(5),
    provider: pick(next, PROVIDERS.slice(0, 2)),
    account_id: pick(next, ['one', 'two', null]),
    region: pick(next, ['eu', 'us']),
    scan_run_id: pick(next, ['run-1', 'run-2']),
    last_seen_at: new Date(Date.UTC(2026, 0, 1 + whole(5))),
    first_seen_at: new Date(Date.UTC(2025, 0, 1 + whole(3))),
  };
}

function made(): FindingRow {
  const finding_id =
    Math.floor(next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0') + String(++serial);
  const row = { _id: findingRowId(tenant, ENGINE, finding_id), tenant_id: tenant, engine: ENGINE, finding_id, discriminator: finding_id };
  const [rule, resource] = [whole(9), whole(40)];
  const names = {
    rule_id: `rule-${rule}`,
    title: `Title ${rule}`,
    resource_uid: `resource-${resource}`,
    resource_name: `name ${resource}`,
  };
  return { ...row, ...names, resource_type: 'bucket', cve: null, cvss: null, epss: null, known_exploited: null, ...told() } as FindingRow;
}

/** Opens findings, changes some and removes others, as a run does. */
async function change(database: Database, { opened, changed, removed }: { opened: number; changed: number; removed: number }) {
  const rows = of(database).collection(findings);
  const counters = new CounterChanges();
  const fresh = Array.from({ length: opened }, made);
  const moved = (changed === 0 ? [] : await rows.find({}, { sort: { finding_id: 1 }, limit: changed })).map((row) => ({ row, to: told() }));
  const gone = removed === 0 ? [] : await rows.find({}, { sort: { finding_id: -1 }, limit: removed });
  for (const row of fresh) counters.add(row, 1);
  for (const { row, to } of moved) counters.move(row, { ...row, ...to });
  for (const row of gone) counters.add(row, -1);
  await database.transaction(async (transaction) => {
    await rows.insertMany(fresh, { transaction });
    await rows.bulkUpdate(
      moved.map(({ row, to }) => ({ _id: row._id, update: { $set: to } })),
      { transaction },
    );
    if (gone.length > 0) await rows.remove({ _id: { $in: gone.map(({ _id }) => _id) } }, { transaction });
    await counters.write(of(database), transaction);
  });
}

const FILTERS: readonly FindingFilter[] = [
  {},
  { status: FINDING_STATUSES },
  { status: ['OPEN', 'RESOLVED'], severity: ['critical', 'low'] },
  { provider: [PROVIDERS[0]!] },
  { account_id: ['one'], status: FINDING_STATUSES },
  { account_id: ['one', 'two'], region: ['eu'], status: FINDING_STATUSES },
  { scan_run_id: ['run-1'], provider: [PROVIDERS[1]!], status: FINDING_STATUSES },
  { last_seen_after: new Date(Date.UTC(2026, 0, 2)), status: FINDING_STATUSES },
  { first_seen_after: new Date(Date.UTC(2025, 0, 1)), severity: ['critical', 'high'], status: FINDING_STATUSES },
  { q: 'TITLE', status: FINDING_STATUSES },
];

const idsOf = (rows: readonly Pick<FindingRow, 'finding_id'>[]) => rows.map(({ finding_id }) => finding_id);

/** All findings that a filter selects, in order, as they stand. */
async function inOrder(filter: FindingFilter, sort: string): Promise<Key[]> {
  const rows: Key[] = await of(elsewhere!).collection(findings).find(findingCondition(filter), { fields: KEY_FIELDS });
  return rows.sort(comparing(findingOrder(sort)));
}

async function expectPage(filter: FindingFilter, sort: string, skip: number, limit: number, all: readonly Key[]): Promise<void> {
  const page = await readPage(of(here!), filter, findingOrder(sort), { skip, limit });
  const asked = { filter, sort, skip, limit };
  expect({ ...asked, ids: idsOf(page) }).toEqual({ ...asked, ids: idsOf(all.slice(skip, skip + limit)) });
}

/** An engine's database that tells how many findings reads of pages pass over. @param before what happens before each read, by its number */
function watched(database: EngineDatabase, before: (read: number) => Promise<void> = async () => {}) {
  const seen = { reads: 0, passed: 0 };
  const rows = database.collection(findings);
  const find = async (filter: Filter, options: FindOptions) => {
    await before(++seen.reads);
    seen.passed += options.skip ?? 0;
    return rows.find(filter, options);
  };
  const watchedRows = { find, count: rows.count.bind(rows) };
  const collection = (definition: unknown) => (definition === findings ? watchedRows : database.collection(definition as never));
  return { seen, watching: { ...database, collection } as unknown as EngineDatabase };
}

describe('a page of findings', () => {
  beforeAll(async () => {
    tenant = `t${++serial}`;
    await change(here!, { opened: COUNT, changed: 0, removed: 0 });
  });

  it.each(SORTS)('by %s is that part of the whole list as it stands, whoever changed findings since the last one', async (sort) => {
    for (const filter of FILTERS) {
      let all = await inOrder(filter, sort);
      expect(all.length).toBeGreaterThan(560);
      const limit = pick(next, [7, 50, 200]);
      const far = Math.max(0, all.length - limit - whole(60));
      const near = 500 + whole(all.length - 500);
      const starts = [far, near, near + limit, near + 2 * limit, near, near - limit, far + limit, all.length, whole(all.length), far];
      for (const [n, skip] of starts.entries()) {
        await expectPage(filter, sort, Math.max(0, skip), limit, all);
        if (n % 4 !== 3) continue;
        await change(n === 3 ? here! : elsewhere!, { opened: whole(4), changed: 1 + whole(20), removed: whole(4) });
        all = await inOrder(filter, sort);
      }
    }
  });

  it('is read again where findings change while it is read', async () => {
    const sort = '-severity';
    const { seen, watching } = watched(of(here!), async (read) => {
      if (read === 1) await change(elsewhere!, { opened: 40, changed: 0, removed: 0 });
    });
    const before = await inOrder({}, sort);
    const skip = before.length - PAGE;
    const page = await readPage(watching, {}, findingOrder(sort), { skip, limit: PAGE });
    expect(seen.reads).toBeGreaterThan(1);
    expect(idsOf(page)).toEqual(idsOf((await inOrder({}, sort)).slice(skip, skip + PAGE)));
  });

  it.each(SORTS)('by %s that follows, precedes or is near one that was read passes over few findings', async (sort) => {
    await change(here!, { opened: 1, changed: 0, removed: 0 });
    const filter: FindingFilter = { status: FINDING_STATUSES };
    const passed = async (skip: number) => {
      const { seen, watching } = watched(of(here!));
      await readPage(watching, filter, findingOrder(sort), { skip, limit: PAGE });
      return seen.passed;
    };
    const middle = Math.floor(COUNT / 2 / PAGE) * PAGE;
    await passed(middle);
    for (const skip of [middle + PAGE, middle + 2 * PAGE, middle + 3 * PAGE]) expect(await passed(skip)).toBeLessThanOrEqual(1);
    expect(await passed(middle - PAGE)).toBeLessThanOrEqual(1);
    // where a part of the way holds too few, what it holds is passed over twice
    expect(await passed(middle + 6 * PAGE)).toBeLessThanOrEqual(2 * (2 * PAGE + 1));
    const { length } = await inOrder(filter, sort);
    expect(await passed(length - PAGE)).toBe(0);
    expect(await passed(length - 3 * PAGE)).toBeLessThanOrEqual(2 * PAGE);
  });

  it('by severity passes over none before a severity begins', async () => {
    await change(here!, { opened: 1, changed: 0, removed: 0 });
    const all = await inOrder({}, '-severity');
    const { seen, watching } = watched(of(here!));
    const begins = all.findIndex(({ severity_rank }) => severity_rank === severityRank('high'));
    expect(begins).toBeGreaterThan(500);
    await readPage(watching, {}, findingOrder('-severity'), { skip: begins + 3, limit: PAGE });
    expect(seen.passed).toBe(3);
  });
});
