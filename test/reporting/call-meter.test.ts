import { randomUUID } from 'node:crypto';
import { fixedClock } from '../../kit/base/clock.js';
import { callCounts } from '../../kit/store/call-counts.js';
import { Database } from '../../kit/store/database.js';
import { CallMeter, metered } from '../../http/call-meter.js';
import type { RateDecision, RateLimiter } from '../../http/rate-limit.js';

let database: Database;
beforeEach(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `meter_${randomUUID().slice(0, 8)}`, [callCounts]);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

const counted = async (tenant: string) =>
  (
    await database
      .tenant(tenant)
      .collection(callCounts)
      .find({}, { sort: { day: 1 } })
  ).map(({ day, calls }) => [day, calls]);

describe('calls of the API', () => {
  it('are counted by tenant and day, those of several processes together, and refused ones are not', async () => {
    const clock = fixedClock('2030-01-31T23:59:59.000Z');
    const failures: unknown[] = [];
    const meters = [1, 2].map(() => new CallMeter(database, clock, (error) => failures.push(error)));
    const decision = (allowed: boolean) => ({ allowed }) as RateDecision;
    const limiter = { consume: (_caller, cost = 1) => Promise.resolve(decision(cost < 100)) } as RateLimiter;
    const [one, other] = meters.map((meter) => metered(limiter, meter));
    const caller = (tenant_id: string) => ({ tenant_id, user_id: 'u', plan: 'growth' }) as const;
    for (let n = 0; n < 5; n++) await one!.consume(caller('t1'));
    await other!.consume(caller('t1'), 7);
    await other!.consume(caller('t1'), 100);
    await other!.consume(caller('t2'));
    await Promise.all(meters.map((meter) => meter.flush()));
    clock.advance(1_000);
    await one!.consume(caller('t1'));
    await Promise.all(meters.map((meter) => meter.stop()));
    expect([await counted('t1'), await counted('t2'), failures]).toEqual([
      [
        ['2030-01-31', 12],
        ['2030-02-01', 1],
      ],
      [['2030-01-31', 1]],
      [],
    ]);
  });

  it('that could not be written are written with the next', async () => {
    const clock = fixedClock('2030-01-31T12:00:00.000Z');
    const failures: unknown[] = [];
    let isAway = true;
    const away = {
      tenant: (id: string) =>
        isAway ? { collection: () => ({ bulkUpdate: () => Promise.reject(new Error('away')) }) } : database.tenant(id),
    };
    const meter = new CallMeter(away as unknown as Database, clock, (error) => failures.push(error));
    meter.count('t1', 3);
    await meter.flush();
    meter.count('t1', 1);
    isAway = false;
    await meter.stop();
    expect([await counted('t1'), failures.length]).toEqual([[['2030-01-31', 4]], 1]);
  });
});
