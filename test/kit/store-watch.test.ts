import { randomUUID } from 'node:crypto';
import { defineSystemCollection } from '../../kit/store/collection.js';
import { Database } from '../../kit/store/database.js';
import { number } from '../../kit/store/fields.js';
import { SystemCollection } from '../../kit/store/tenant-collection.js';
import { watchFor, type Awaited } from '../../kit/work/store-watch.js';

const shelves = ['one', 'two', 'three', 'four'].map((name) => defineSystemCollection(`shelf_${name}`, { size: number }, []));

let database: Database;
const ends: (() => void)[] = [];
beforeEach(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `watch_${randomUUID().slice(0, 8)}`, shelves);
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  jest.restoreAllMocks();
  await database.drop();
  await database.close();
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Looks for rows of a shelf that are larger than 5 and counts what it is told. */
function watched(n: number, everyMs = 5, condition: Readonly<Record<string, unknown>> = { size: { $gt: 5 } }) {
  const told = { found: 0, failed: 0 };
  const rows: Awaited = {
    collection: shelves[n]!,
    condition: () => condition,
    everyMs,
    found: () => told.found++,
    failed: () => told.failed++,
  };
  const end = watchFor(database, rows);
  ends.push(end);
  return { told, end };
}

const put = (n: number, size: number) => database.system(shelves[n]!).insert({ _id: randomUUID(), size });
const looksOf = () => jest.spyOn(SystemCollection.prototype, 'aggregateAcross');

test('who waits for rows is told at each look that there are some, and nobody else', async () => {
  await put(1, 6);
  await put(2, 5);
  const all = shelves.map((_, n) => watched(n).told);
  await until(() => all[1]!.found >= 3);
  expect(all.map(({ found, failed }) => [found > 0, failed])).toEqual([
    [false, 0],
    [true, 0],
    [false, 0],
    [false, 0],
  ]);
  await put(2, 7);
  await until(() => all[2]!.found > 0);
});

test('all who look as often are answered by one question', async () => {
  for (const n of shelves.keys()) await put(n, 6);
  const looks = looksOf();
  const all = shelves.map((_, n) => watched(n).told);
  await until(() => all[0]!.found >= 5);
  for (const end of ends) end();
  await until(() => all.every(({ found }) => found === looks.mock.calls.length));
  expect(looks.mock.calls.length).toBeLessThan(10);
});

test('a question that the store refuses holds up nobody but who asks it', async () => {
  await put(2, 6);
  const wrong = watched(0, 5, { size: { $larger: 5 } }).told;
  const right = watched(2).told;
  await until(() => right.found >= 3 && wrong.failed >= 3);
  expect([wrong.found, right.failed]).toEqual([0, 0]);
});

test('who looks seldom is not asked for by those who look often', async () => {
  for (const n of [0, 1]) await put(n, 6);
  const often = watched(0).told;
  const seldom = watched(1, 3_600_000).told;
  await until(() => often.found >= 5);
  expect(seldom.found).toBe(0);
});

test('a look that fails is told, and the next one comes', async () => {
  await put(0, 6);
  const looks = looksOf().mockRejectedValueOnce(new Error('no store'));
  const { told } = watched(0);
  await until(() => told.found > 0);
  expect([told.failed, looks.mock.calls.length > 1]).toEqual([1, true]);
});

test('who has ended is told nothing more, and where nobody waits nothing is asked', async () => {
  await put(0, 6);
  const looks = looksOf();
  const { told, end } = watched(0);
  await until(() => told.found > 0);
  end();
  const { length } = looks.mock.calls;
  const { found } = told;
  await new Promise((resolve) => setTimeout(resolve, 50));
  // a look that was under way is its last
  expect([looks.mock.calls.length - length <= 1, told.found - found]).toEqual([true, 0]);
});
