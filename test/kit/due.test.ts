import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { fixedClock, type Clock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { number, text } from '../../kit/store/fields.js';
import { Database } from '../../kit/store/database.js';
import { StoreClock } from '../../kit/store/store-clock.js';
import {
  backOff,
  DUE_FIELDS,
  DUE_INDEX,
  LEASE_MS,
  LEASE_REVOKED,
  NEVER_LEASED,
  takeable,
  takeDue,
  workOffDue,
  type DueWork,
  type Outcome,
  type Taken,
} from '../../kit/work/due.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { openEmbeddedStore } from '../../embedded/index.js';

const errands = defineCollection('errands', { ...DUE_FIELDS, state: text, tries: number }, [DUE_INDEX]);
type Errand = RowOf<typeof errands>;
const START = '2026-02-10T12:00:00.000Z';

let database: Database;
let clock: ReturnType<typeof fixedClock>;
beforeEach(async () => {
  const name = `due_${randomUUID().slice(0, 8)}`;
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, name, [errands, tenantEnds]);
  clock = fixedClock(START);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

const at = (milliseconds: number): Date => new Date(clock.now().getTime() + milliseconds);
const rows = () => database.system(errands);
const row = async (_id: string): Promise<Errand> => (await rows().findOne({ _id }))!;
const add = (_id: string, due_at: Date | null, tenant_id = 't1') =>
  database
    .tenant(tenant_id)
    .collection(errands)
    .insert({ _id, tenant_id, due_at, ...NEVER_LEASED, state: 'new', tries: 0 });
const take = (without?: string[]) => takeDue({ database, storeClock: clock }, { collection: errands }, without);

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A piece of work that ends when the test says so. */
interface Held {
  readonly taken: Taken<Errand>;
  end(outcome?: Outcome<Errand> | null): void;
  fail(error: Error): void;
}

/** Runs a loop whose work the test holds in its hands. */
function loop(options: Partial<DueWork<Errand>> = {}, storeClock: Clock = clock) {
  const held = new Map<string, Held>();
  const order: string[] = [];
  const stopping = new AbortController();
  const work: DueWork<Errand> = {
    name: 'errands',
    collection: errands,
    atATime: 10,
    pollMs: 5,
    onTake: { $set: { state: 'taken' }, $inc: { tries: 1 } },
    onGiveBack: { $set: { state: 'new' }, $inc: { tries: -1 } },
    run: (taken) =>
      new Promise((resolve, reject) => {
        order.push(taken.row._id);
        taken.signal.addEventListener('abort', () => reject(new Error('aborted')));
        held.set(taken.row._id, { taken, end: (outcome = { due_at: null, set: { state: 'done' } }) => resolve(outcome), fail: reject });
      }),
    failed: ({ row: { tries } }, error) => ({ due_at: at(backOff([1_000, 5_000], tries)), set: { state: (error as Error).message } }),
    ...options,
  };
  const running = workOffDue({ database, storeClock, logger: createLogger('silent') }, work, stopping.signal);
  return {
    held,
    order,
    /** Waits until exactly these rows are in work. */
    async holds(...ids: string[]) {
      await until(() => ids.every((id) => held.has(id)));
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

describe('rows that are due', () => {
  it('are taken in the order in which they became due, and none that is due later or never', async () => {
    await add('second', at(-1_000));
    await add('first', at(-2_000));
    await add('third', at(0));
    await add('later', at(1));
    await add('never', null);
    const { order, holds, held, stop } = loop({ atATime: 1 });
    for (const id of ['first', 'second', 'third']) {
      await holds(id);
      held.get(id)!.end();
      await until(async () => (await row(id)).state === 'done');
    }
    clock.advance(1);
    await holds('later');
    await stop();
    expect(order).toEqual(['first', 'second', 'third', 'later']);
    expect(await row('third')).toMatchObject({ due_at: null, leased_by: null, leased_until: null, lease_no: 1, tries: 1 });
  });

  it('are in work at most as many at a time as the process may have, and as a tenant may have', async () => {
    for (const n of [1, 2, 3]) await add(`a${n}`, at(-100 + n), 'a');
    for (const n of [1, 2, 3]) await add(`b${n}`, at(-50 + n), 'b');
    const { order, holds, held, stop } = loop({ atATime: 3, ofATenant: 2 });
    await holds('a1', 'a2', 'b1');
    // a look or two more takes nothing
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(order).toEqual(['a1', 'a2', 'b1']);
    held.get('b1')!.end();
    await holds('b2');
    held.get('a1')!.end();
    await holds('a3');
    await stop();
    expect(order).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  });

  it('of a tenant that was ended are left alone', async () => {
    await add('ended', at(-2), 'gone');
    await add('other', at(-1));
    await database
      .tenant('gone')
      .collection(tenantEnds)
      .insert({ _id: 'gone', tenant_id: 'gone' } as never);
    expect((await take())!._id).toBe('other');
    expect(await take()).toBeNull();
  });

  it('belong to one worker until its lease ends, and then to the next', async () => {
    await add('one', at(0));
    const first = (await take())!;
    clock.advance(LEASE_MS - 1);
    expect(await take()).toBeNull();
    clock.advance(1);
    const second = (await take())!;
    expect([first.lease_no, second.lease_no]).toEqual([1, 2]);
  });

  it('stay with a worker for as long as it gives signs of life', async () => {
    await add('one', at(0));
    const { holds, held, stop } = loop({ leaseMs: 30 });
    await holds('one');
    clock.advance(20);
    await until(async () => (await row('one')).leased_until!.getTime() === clock.now().getTime() + 30);
    clock.advance(20);
    expect(await take()).toBeNull();
    held.get('one')!.end();
    await stop();
  });

  it('change nothing when a worker ends them that lost them, which is told so', async () => {
    await add('one', at(0));
    const { holds, held, stop } = loop({ leaseMs: 30, run: ({ row: { _id }, lost }) => slow(_id, lost) });
    const lostOf = new Map<string, AbortSignal>();
    const ends: (() => void)[] = [];
    const slow = (id: string, lost: AbortSignal) => {
      lostOf.set(id, lost);
      held.set(id, { end: () => undefined, fail: () => undefined } as never);
      return new Promise<Outcome<Errand>>((resolve) => ends.push(() => resolve({ due_at: null, set: { state: 'stale' } })));
    };
    await holds('one');
    await rows().update({ _id: 'one' }, { ...LEASE_REVOKED, $set: { ...LEASE_REVOKED.$set, due_at: at(60_000), state: 'set anew' } });
    const before = await row('one');
    await until(() => lostOf.get('one')!.aborted);
    ends[0]!();
    await stop();
    expect(await row('one')).toEqual(before);
    expect(before).toMatchObject({ state: 'set anew', lease_no: 2 });
  });

  it('come back after a pause that grows with each failure', async () => {
    await add('one', at(0));
    const { holds, held, stop } = loop();
    for (const pause of [1_000, 5_000, 5_000]) {
      await holds('one');
      const { fail } = held.get('one')!;
      held.clear();
      fail(new Error('refused'));
      await until(async () => (await row('one')).leased_by === null);
      expect(await row('one')).toMatchObject({ due_at: at(pause), state: 'refused' });
      clock.advance(pause);
    }
    await stop();
  });

  it('are given back at once when the process stops, as if they had not been taken', async () => {
    await add('one', at(0));
    const before = await row('one');
    const { holds, stop } = loop();
    await holds('one');
    await stop();
    // a look that was under way may have taken it once more, and given it back, too
    expect(await row('one')).toEqual({ ...before, lease_no: expect.any(Number) as number });
    expect((await take())!._id).toBe('one');
  });

  it('are ended within the grace when the process stops', async () => {
    await add('one', at(0));
    const { holds, held, stop } = loop({ graceMs: 60_000 });
    await holds('one');
    const stopped = stop();
    held.get('one')!.end();
    await stopped;
    expect(await row('one')).toMatchObject({ state: 'done', due_at: null });
  });

  it('are worked off again when they have changed since it was decided that nothing is left', async () => {
    await add('one', at(0));
    const { holds, held, stop } = loop();
    await holds('one');
    const { end } = held.get('one')!;
    held.clear();
    await rows().update({ _id: 'one' }, { $inc: { tries: 1 } });
    end({ due_at: null, set: { state: 'looked' }, when: { tries: 1 } });
    await holds('one');
    expect(held.get('one')!.taken.row).toMatchObject({ due_at: at(0), state: 'taken', lease_no: 2, tries: 3 });
    held.get('one')!.end({ due_at: null, set: { state: 'looked' }, when: { tries: 3 } });
    await until(async () => (await row('one')).due_at === null);
    await stop();
    expect(await row('one')).toMatchObject({ state: 'looked', leased_by: null, lease_no: 2 });
  });

  it('are held no more from the moment at which the lease ends, before anybody has said so', async () => {
    await add('one', at(0));
    const { holds, held, stop } = loop();
    await holds('one');
    const { taken, end } = held.get('one')!;
    clock.advance(LEASE_MS - 1);
    expect(taken.isHeld()).toBe(true);
    clock.advance(1);
    expect([taken.isHeld(), taken.lost.aborted]).toEqual([false, false]);
    end();
    await stop();
  });
});

describe('workers whose clocks differ', () => {
  const HOUR = 3_600_000;
  const FEW = 40;
  /** The clock of a worker on a machine whose own is wrong. */
  const opened: StoreClock[] = [];
  const client = new MongoClient(process.env['PALISADE_TEST_MONGODB_URI']!);
  const clockOf = async (wrongBy: number): Promise<StoreClock> => {
    const timeOfStore = async () => (await client.db('admin').command({ hello: 1 }))['localTime'] as Date;
    const one = new StoreClock(timeOfStore, { now: () => new Date(Date.now() + wrongBy) });
    opened.push(one);
    await one.compare();
    return one;
  };
  afterAll(async () => {
    for (const one of opened) one.close();
    await client.close();
  });

  it.each([HOUR, -HOUR])('take no row twice, and let none wait (%d ms)', async (wrongBy) => {
    const clocks = [await clockOf(0), await clockOf(wrongBy)];
    const runs: string[] = [];
    const working = new Set<number>();
    const workers = clocks.map((storeClock, n) =>
      loop(
        {
          atATime: 4,
          // each holds its first rows until the other has some, and all for longer than a look of the other
          async run({ row: { _id, tries } }) {
            runs.push(`${_id}, try ${tries}`);
            working.add(n);
            await until(() => working.size === clocks.length);
            await new Promise((resolve) => setTimeout(resolve, 20));
            // it is due again by the clock of who worked on it
            return { due_at: tries === 2 ? null : new Date(storeClock.now().getTime() + 50), set: { state: 'done' } };
          },
        },
        storeClock,
      ),
    );
    for (let n = 0; n < FEW; n++) await add(`row ${n}`, clocks[n % 2]!.now());
    await until(async () => (await rows().count({ due_at: null })) === FEW);
    await Promise.all(workers.map(({ stop }) => stop()));
    expect(runs).toHaveLength(2 * FEW);
    expect(new Set(runs).size).toBe(2 * FEW);
  });
});

describe('a take', () => {
  const DONE = 10_000;
  it(`reads a handful of rows where ${DONE} finished ones lie`, async () => {
    const store = await openEmbeddedStore({ dir: null });
    const client = await new MongoClient(store.uri).connect();
    try {
      const collection = client.db('test').collection('errands');
      await collection.createIndexes(errands.indexes.map(({ key }) => ({ key })));
      const finished = Array.from({ length: DONE }, (_, n) => ({ _id: `done-${n}`, tenant_id: 't', due_at: null, leased_until: null }));
      const due = [1, 2, 3].map((n) => ({ _id: `due-${n}`, tenant_id: 't', due_at: at(-n), leased_until: null }));
      await collection.insertMany([...finished, ...due] as never);
      const filter = { ...takeable(clock.now()), tenant_id: { $nin: ['ended'] } };
      const plan = await collection.find(filter).sort({ due_at: 1 }).limit(1).explain('executionStats');
      const { totalKeysExamined, totalDocsExamined, nReturned } = plan['executionStats'] as Record<string, number>;
      expect(nReturned).toBe(1);
      expect(Math.max(totalKeysExamined!, totalDocsExamined!)).toBeLessThan(10);
    } finally {
      await client.close();
      await store.close();
    }
  });
});
