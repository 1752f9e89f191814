import { randomUUID } from 'node:crypto';
import { fixedClock } from '../../kit/base/clock.js';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { Database } from '../../kit/store/database.js';
import { DUE_FIELDS, DUE_INDEX, heldBy, NEVER_LEASED, takeDue } from '../../kit/work/due.js';
import { freeStranded } from '../../kit/work/stranded.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { until } from '../support/stand-in.js';

const errands = defineCollection('errands', { ...DUE_FIELDS }, [DUE_INDEX]);
type Errand = RowOf<typeof errands>;
const LEASE = 30;
/** Milliseconds beyond its length in which a lease is left alone. */
const MARGIN = 3_000;

let database: Database;
let steady: number;
let looks: number;
let end: () => void;
/** The time of the store, which has been set back by an hour; a process that has not compared counts by that of before. */
const clock = fixedClock('2026-02-10T12:00:00.000Z');
const before = fixedClock('2026-02-10T13:00:00.000Z');
beforeEach(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `stranded_${randomUUID().slice(0, 8)}`, [errands, tenantEnds]);
  steady = 0;
  looks = 0;
});
afterEach(async () => {
  end();
  await database.drop();
  await database.close();
});

const rows = () => database.system(errands);
const add = (_id: string, due_at: Date) => rows().insert({ _id, tenant_id: 't1', due_at, ...NEVER_LEASED } as Errand);
const read = async (_id: string): Promise<Errand> => (await rows().findOne({ _id }))!;
const take = (storeClock: typeof clock) => takeDue({ database, storeClock }, { collection: errands, leaseMs: LEASE });

function free(farthestMs?: number): void {
  const fail = (error: unknown) => {
    throw error;
  };
  const counted = () => (looks++, steady);
  end = freeStranded({ database, storeClock: clock }, { collection: errands, leaseMs: LEASE, farthestMs }, fail, counted);
}
/** Waits until what it sees now was looked at some times. */
async function looked(): Promise<void> {
  const from = looks;
  await until('it has looked', async () => looks >= from + 6);
}

it('a row is free again that was taken by a clock which was ahead, once its worker gave no sign of life for as long as leases last', async () => {
  await add('left', before.now());
  const left = (await take(before))!;
  expect(left.leased_until!.getTime()).toBe(before.now().getTime() + LEASE);
  free();
  await looked();
  steady = LEASE + MARGIN - 1;
  await looked();
  expect(await take(clock)).toBeNull();
  steady = LEASE + MARGIN;
  await until('it is free', async () => (await read('left')).leased_by === null);
  expect(await take(clock)).toMatchObject({ _id: 'left' });
  // what the earlier one still writes changes nothing
  expect((await rows().update(heldBy(left), { $set: { due_at: null } })).matched).toBe(0);
});

it('a row stays with a worker that gives signs of life by a clock which is ahead', async () => {
  await add('held', before.now());
  let held = (await take(before))!;
  free();
  for (let n = 1; n <= 5; n++) {
    await looked();
    steady += LEASE + MARGIN - 1;
    const leased_until = new Date(held.leased_until!.getTime() + n);
    held = (await rows().findAndUpdate(heldBy(held), { $set: { leased_until } }, { returnNew: true }))!;
    expect(held).not.toBeNull();
  }
  await looked();
  expect((await read('held')).leased_by).toBe(held.leased_by);
});

it('a row that was put in by a clock which was ahead is due at once where none is ever due so late, and nowhere else', async () => {
  await add('queued', before.now());
  await add('soon', new Date(clock.now().getTime() + 4_000));
  free(4_000);
  await until('it is due', async () => (await read('queued')).due_at!.getTime() === clock.now().getTime());
  expect((await read('soon')).due_at!.getTime()).toBe(clock.now().getTime() + 4_000);
  end();
  await add('later', before.now());
  await add('left', before.now());
  await rows().update({ _id: 'left' }, { $set: { leased_by: 'gone', leased_until: new Date(before.now().getTime() + LEASE) } });
  free();
  await looked();
  expect((await read('later')).due_at!.getTime()).toBe(before.now().getTime());
});
