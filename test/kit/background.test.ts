import { randomUUID } from 'node:crypto';
import { periodic, periodicTasks, runPeriodic } from '../../kit/engine/background.js';
import { fixedClock } from '../../kit/base/clock.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { createLogger } from '../../kit/base/logger.js';
import { openWorld, type World } from '../support/world.js';

const DAY = 86_400_000;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** What is never due again in these tests, whatever becomes of another. */
const beside = periodic(`beside_${randomUUID()}`, DAY, () => Promise.resolve());

/** Runs a daily task until its first run has ended. @returns milliseconds until it is due again */
async function pauseAfter(work: (stop: () => void) => Promise<void>): Promise<number> {
  const name = `task_${randomUUID()}`;
  const clock = fixedClock('2026-02-10T12:00:00.000Z');
  const services = { database: world.database, clock, storeClock: clock, logger: createLogger('silent') } as unknown as EngineServices;
  const stopping = new AbortController();
  const rows = world.database.system(periodicTasks);
  const task = periodic(name, DAY, () => work(() => stopping.abort()));
  const running = runPeriodic([task, beside]).run(services, stopping.signal);
  for (;;) {
    const row = await rows.findOne({ _id: name });
    if (row && row.leased_by === null && row.due_at! > clock.now()) break;
    if (stopping.signal.aborted) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  stopping.abort();
  await running;
  return (await rows.findOne({ _id: name }))!.due_at!.getTime() - clock.now().getTime();
}

describe('a periodic task', () => {
  it('holds up no other one', async () => {
    const stopping = new AbortController();
    const clock = fixedClock('2026-02-10T12:00:00.000Z');
    const services = { database: world.database, clock, storeClock: clock, logger: createLogger('silent') } as unknown as EngineServices;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let isDone = (): void => undefined;
    const done = new Promise<void>((resolve) => (isDone = resolve));
    const slow = periodic(`slow_${randomUUID()}`, DAY, () => held);
    const quick = periodic(`quick_${randomUUID()}`, DAY, () => Promise.resolve(isDone()));
    const running = runPeriodic([slow, quick]).run(services, stopping.signal);
    await done;
    release();
    stopping.abort();
    await running;
  });

  it('is due again after its time when it is done', async () => {
    expect(await pauseAfter(() => Promise.resolve())).toBe(DAY);
  });

  it('is made good soon when it fails', async () => {
    expect(await pauseAfter(() => Promise.reject(new Error('the store is away')))).toBe(5 * 60_000);
  });

  it('is due at once when its process stops in the middle', async () => {
    expect(
      await pauseAfter((stop) => {
        stop();
        return Promise.resolve();
      }),
    ).toBe(0);
  });
});
