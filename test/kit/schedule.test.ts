import { randomUUID } from 'node:crypto';
import { fixedClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import { defineCollection, type RowOf } from '../../kit/store/collection.js';
import { number } from '../../kit/store/fields.js';
import { Database } from '../../kit/store/database.js';
import { checkTimetable, nextFiring, type Timetable } from '../../kit/work/cron.js';
import { takeDue, workOffDue, type Taken } from '../../kit/work/due.js';
import { firings, newlyTimed, SCHEDULED_FIELDS, SCHEDULED_INDEX, scheduledWork, timed } from '../../kit/work/schedule.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** How many begin over a year. SCHEDULES=1000 has those of a hundred tenants; a few are enough from one change to the next. */
const SCHEDULES = Number(process.env['SCHEDULES'] ?? 9);
const START = new Date('2027-03-27T12:00:00.000Z');

describe('a timetable', () => {
  const wrong = (cron: string, time_zone = 'UTC') => checkTimetable({ cron, time_zone }, START, 'schedule', 15 * MINUTE);

  it('is refused when it cannot be read, never comes, is of no zone, or fires too often', () => {
    const refused = [
      ...['hello', '61 * * * *', '* * * * * *', '2027-05-01T00:00:00', '0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '*/5 * * * *', ''].map((cron) =>
        wrong(cron),
      ),
      ...['Mars/Phobos', '+02:00', ''].map((zone) => wrong('0 8 * * 1', zone)),
    ];
    expect(refused.map(([violation]) => violation?.path)).toEqual([
      ...Array<string>(8).fill('schedule.cron'),
      ...Array<string>(3).fill('schedule.time_zone'),
    ]);
  });

  it('is taken when it fires, on 29 February too', () => {
    for (const cron of ['0 8 * * 1', '@daily', '0 0 29 2 *', '*/15 * * * *', '0 0 L * *']) expect(wrong(cron, 'Europe/Berlin')).toEqual([]);
  });

  it('fires once at a time that summer time skips or repeats', () => {
    const table = { cron: '30 2 * * *', time_zone: 'Europe/Berlin' };
    const days = (from: string, count: number) => {
      const found: Date[] = [];
      while (found.length < count) found.push(nextFiring(table, found.at(-1) ?? new Date(from))!);
      return found.map((at) => at.toISOString());
    };
    expect(days('2027-03-27T12:00:00Z', 2)).toEqual(['2027-03-28T01:00:00.000Z', '2027-03-29T00:30:00.000Z']);
    expect(days('2027-10-30T12:00:00Z', 2)).toEqual(['2027-10-31T00:30:00.000Z', '2027-11-01T01:30:00.000Z']);
  });
});

describe('rows that fire by a timetable', () => {
  const alarms = defineCollection('alarms', { ...SCHEDULED_FIELDS, rung: number }, [SCHEDULED_INDEX]);
  type Alarm = RowOf<typeof alarms>;
  const DAILY = { cron: '0 8 * * *', time_zone: 'UTC' };
  let database: Database;
  let clock: ReturnType<typeof fixedClock>;
  beforeEach(async () => {
    database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `schedule_${randomUUID().slice(0, 8)}`, [
      alarms,
      firings,
      tenantEnds,
    ]);
    clock = fixedClock(START.toISOString());
  });
  afterEach(async () => {
    await database.drop();
    await database.close();
  });

  const rows = () => database.tenant('t1').collection(alarms);
  const alarm = async () => (await rows().findOne({ _id: 'one' }))!;
  const add = () => rows().insert({ _id: 'one', tenant_id: 't1', rung: 0, ...newlyTimed(DAILY, true, clock.now()) });
  const services = () => ({ database, storeClock: clock, logger: createLogger('silent') });
  const rung: string[] = [];
  const work = (begin?: () => { isPaused: boolean }) =>
    scheduledWork<Alarm>(services(), {
      name: 'alarms',
      collection: alarms,
      async begin({ rung: before }, firing) {
        rung.push(firing.toISOString());
        return { set: { rung: before + 1 }, ...begin?.() };
      },
    });
  const take = async (): Promise<Taken<Alarm> | null> => {
    const row = await takeDue({ database, storeClock: clock }, { collection: alarms });
    const { signal } = new AbortController();
    return row && { row, signal, lost: signal, isHeld: () => true };
  };
  beforeEach(() => void rung.splice(0));

  it('begin when it comes, and firings that nobody was there for begin once together', async () => {
    await add();
    clock.advance(3 * DAY);
    const stopping = new AbortController();
    const running = workOffDue(services(), { ...work(), pollMs: 5 }, stopping.signal);
    while ((await alarm()).rung === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stopping.abort();
    await running;
    expect(rung).toEqual(['2027-03-28T08:00:00.000Z']);
    const next = new Date('2027-03-31T08:00:00.000Z');
    expect(await alarm()).toMatchObject({ rung: 1, next_run_at: next, due_at: next, leased_by: null });
  });

  it('begin once for two workers that both believe they have them', async () => {
    await add();
    clock.advance(DAY);
    const slow = (await take())!;
    clock.advance(MINUTE);
    const other = (await take())!;
    expect(await work().run(other)).toBeNull();
    await work().run(slow);
    expect(await alarm()).toMatchObject({ rung: 1, next_run_at: new Date('2027-03-29T08:00:00.000Z') });
    expect(await database.tenant('t1').collection(firings).count({})).toBe(1);
  });

  it('begin once for one moment, though a change of the timetable names it again', async () => {
    await add();
    const again = timed(DAILY, true, clock.now());
    clock.advance(DAY);
    await work().run((await take())!);
    await rows().update({ _id: 'one' }, { $set: again });
    await work().run((await take())!);
    expect(await alarm()).toMatchObject({ rung: 1, next_run_at: new Date('2027-03-29T08:00:00.000Z') });
  });

  it('leave a timetable alone that was changed while they began', async () => {
    await add();
    clock.advance(DAY);
    const taken = (await take())!;
    const changed = timed({ cron: '0 6 * * *', time_zone: 'UTC' }, true, clock.now());
    await rows().update({ _id: 'one' }, { $set: changed });
    expect(await work().run(taken)).toEqual({ due_at: null, when: { next_run_at: new Date('2027-03-28T08:00:00.000Z') } });
    expect(await alarm()).toMatchObject({ rung: 0, ...changed });
  });

  it('begin once for each firing of a year, over changes of the clocks in both directions and a day on which nobody works, with two workers', async () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
    // what comes once on each of these days, whatever the clocks do
    const days = { '30 2 * * 0': { weekday: 'Sun' }, '0 12 * * 3': { weekday: 'Wed' }, '15 1 1 * *': { day: '1' } };
    const each = zones.flatMap((time_zone) => Object.keys(days).map((cron) => ({ cron, time_zone })));
    // most of many are the monthly ones, which cost least
    const monthly = each.filter(({ cron }) => cron.startsWith('15 '));
    const tables = Array.from({ length: SCHEDULES }, (_, n) => each[n] ?? (n % 20 === 0 ? each[n % 9]! : monthly[n % 3]!));
    const tenants = Math.ceil(SCHEDULES / 10) + 3;
    const tenantOf = (n: number) => `t${n % tenants}`;
    for (const [n, table] of tables.entries())
      await database
        .tenant(tenantOf(n))
        .collection(alarms)
        .insert({ _id: `${n}`, tenant_id: tenantOf(n), rung: 0, ...newlyTimed(table, true, clock.now()) });
    const end = START.getTime() + 366 * DAY;
    const daysOf = ({ cron, time_zone: timeZone }: Timetable): number => {
      const [[part, value]] = Object.entries(days[cron as keyof typeof days]) as [[string, string]];
      const told = new Intl.DateTimeFormat('en-US', { timeZone, [part]: part === 'weekday' ? 'short' : 'numeric' });
      const date = new Intl.DateTimeFormat('en-CA', { timeZone });
      const dates = new Set<string>();
      for (let at = START.getTime(); at <= end; at += 60 * MINUTE) if (told.format(at) === value) dates.add(date.format(at));
      return dates.size;
    };
    const downAt = START.getTime() + 100 * DAY;
    const began: string[] = [];
    const claimed: Date[] = [];
    const worker = scheduledWork<Alarm>(services(), {
      ...{ name: 'alarms', collection: alarms },
      begin: ({ _id, rung: before }, firing) => {
        began.push(`${_id} ${firing.toISOString()}`);
        return Promise.resolve({ set: { rung: before + 1 } });
      },
    });
    const all = () => database.system(alarms).find({}, { sort: { next_run_at: 1 } });
    for (let isDown = false; ;) {
      const next = (await database.system(alarms).findOne({}, { sort: { due_at: 1 }, fields: ['next_run_at'] }))!.next_run_at!;
      if (next.getTime() > end) break;
      const now = clock.now().getTime();
      clock.advance(Math.max(0, next.getTime() - now));
      if (!isDown && next.getTime() > downAt) {
        isDown = true;
        clock.advance(36 * 60 * MINUTE);
      }
      for (let taken = await take(); taken; taken = await take()) {
        claimed.push(taken.row.next_run_at!);
        // the other worker believes that it has it, too
        await Promise.all([worker.run(taken), worker.run(taken)]);
      }
    }
    const made = await Promise.all(Array.from({ length: tenants }, (_, n) => database.tenant(`t${n}`).collection(firings).count({})));
    expect(new Set(began).size).toBe(claimed.length);
    expect(made.reduce((sum, one) => sum + one, 0)).toBe(claimed.length);
    const most = new Map(each.map((table) => [JSON.stringify(table), daysOf(table)]));
    for (const { _id, cron, time_zone, rung: times } of await all()) {
      const dates = most.get(JSON.stringify({ cron, time_zone }))!;
      // the days at both ends may have their firing before the beginning or behind the end
      expect([_id, times >= dates - 2 && times <= dates]).toEqual([_id, true]);
    }
  });

  it('wait for nothing more once they are paused', async () => {
    await add();
    clock.advance(DAY);
    await work(() => ({ isPaused: true })).run((await take())!);
    expect(await alarm()).toMatchObject({ rung: 1, next_run_at: null, due_at: null, cron: DAILY.cron });
    expect(timed(DAILY, false, clock.now()).due_at).toBeNull();
  });
});
