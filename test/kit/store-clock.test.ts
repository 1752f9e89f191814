import { MongoClient } from 'mongodb';
import { StoreClock } from '../../kit/store/store-clock.js';

const HOUR = 3_600_000;
const uri = process.env['PALISADE_TEST_MONGODB_URI']!;
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** The time as a store tells it. */
async function askStore(): Promise<() => Promise<Date>> {
  const client = new MongoClient(uri);
  opened.push(client);
  return async () => (await client.db('admin').command({ hello: 1 }))['localTime'] as Date;
}

function clockOver(timeOfStore: () => Promise<Date>, own: () => number): StoreClock {
  const clock = new StoreClock(timeOfStore, { now: () => new Date(own()) });
  opened.push(clock);
  return clock;
}

/** Whether a clock shows the time of this machine moved by so much: far nearer than the hours by which the tests move it. */
function expectAhead(clock: StoreClock, milliseconds: number): void {
  expect(Math.abs(clock.now().getTime() - Date.now() - milliseconds)).toBeLessThan(HOUR / 10);
}

describe("the store's time", () => {
  it.each([HOUR, -HOUR])('is known to a process whose own clock is wrong (by %d ms)', async (wrongBy) => {
    const clock = clockOver(await askStore(), () => Date.now() + wrongBy);
    expectAhead(clock, wrongBy);
    await clock.compare();
    expectAhead(clock, 0);
  });

  it('is that of the process where the two agree as far as a slow answer lets one see', async () => {
    const late = async () => {
      const time = new Date();
      await new Promise((resolve) => setTimeout(resolve, 400));
      return time;
    };
    const clock = clockOver(late, Date.now);
    // two clocks are not read at once: the nearest of some readings tells how far they are apart
    const ahead = () => Math.max(...Array.from({ length: 50 }, () => clock.now().getTime() - performance.now()));
    const before = ahead();
    await clock.compare();
    expect(Math.abs(ahead() - before)).toBeLessThan(150);
  });

  it('goes on steadily when the clock of the process is set', () => {
    let wrongBy = 0;
    const clock = clockOver(
      () => Promise.reject(new Error('the store is away')),
      () => Date.now() + wrongBy,
    );
    wrongBy = HOUR;
    expectAhead(clock, 0);
  });

  it('is followed when the clock of the store is set, forth and back', async () => {
    let ahead = 0;
    const clock = clockOver(() => Promise.resolve(new Date(Date.now() + ahead)), Date.now);
    for (ahead of [HOUR, -HOUR, 0]) {
      await clock.compare();
      expectAhead(clock, ahead);
    }
  });

  it('is asked for again and again, until the clock is closed', async () => {
    jest.useFakeTimers();
    try {
      let asked = 0;
      const clock = clockOver(() => Promise.resolve(new Date(Date.now() + asked++)), Date.now);
      await jest.advanceTimersByTimeAsync(60_000);
      expect(asked).toBe(6);
      clock.close();
      await jest.advanceTimersByTimeAsync(60_000);
      expect(asked).toBe(6);
    } finally {
      jest.useRealTimers();
    }
  });
});
