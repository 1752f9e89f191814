import { randomUUID } from 'node:crypto';
import type { AuthContext } from '../../kit/base/auth-context.js';
import { fixedClock } from '../../kit/base/clock.js';
import { createLogger } from '../../kit/base/logger.js';
import type { EngineServices } from '../../kit/engine/context.js';
import type { JobHandler } from '../../kit/engine/job.js';
import { Worker } from '../../kit/engine/worker.js';
import { Database } from '../../kit/store/database.js';
import { LEASE_MS, takeDue } from '../../kit/work/due.js';
import { JobQueue, jobs, type JobRow } from '../../kit/work/jobs.js';
import { tenantEnds } from '../../kit/work/tenant-ends.js';
import { authOf } from '../gateway/support-engines.js';

let database: Database;
let queue: JobQueue;
// far ahead of the store's own clock, by which it removes old jobs
const storeClock = fixedClock('2126-02-10T12:00:00.000Z');
beforeEach(async () => {
  database = await Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, `worker_${randomUUID().slice(0, 8)}`, [jobs, tenantEnds]);
  queue = new JobQueue(database, storeClock);
});
afterEach(async () => {
  await database.drop();
  await database.close();
});

const auth: AuthContext = authOf('analyst');
const job = async (): Promise<JobRow> => (await database.tenant(auth.tenant_id).collection(jobs).findOne({}))!;
const add = () => database.transaction((transaction) => queue.add(transaction, auth, 'work', {}));

/** Takes the job so often and is killed each time: its lease runs out. */
async function killed(times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    expect(await takeDue({ database, storeClock }, { collection: jobs })).not.toBeNull();
    storeClock.advance(LEASE_MS + 1);
  }
}

/** Works until the job has ended; every wait for a further try is over at once. */
async function workOff(handler: JobHandler): Promise<JobRow> {
  const services = { database, storeClock, clock: storeClock, jobs: queue, logger: createLogger('silent') } as unknown as EngineServices;
  const worker = new Worker(services, new Map([['work', { engine: 'check', handler }]]), 1);
  try {
    for (;;) {
      const row = await job();
      if (row.state === 'done' || row.state === 'failed') return row;
      if (row.due_at && row.due_at > storeClock.now()) storeClock.set(row.due_at.toISOString());
      queue.wake();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } finally {
    await worker.stop();
  }
}

const handler = (failures: number) => {
  const calls: string[] = [];
  return {
    calls,
    async run() {
      calls.push('run');
      if (calls.length <= failures) throw new Error('not yet');
    },
    async giveUp(_job: unknown, reason: string) {
      calls.push(reason);
    },
  };
};

test('a job that fails is tried three times in all, then given up', async () => {
  await add();
  const twice = handler(2);
  expect(await workOff(twice)).toMatchObject({ state: 'done', error: null });
  expect(twice.calls).toEqual(['run', 'run', 'run']);
});

test('a third failure ends it', async () => {
  await add();
  const always = handler(Infinity);
  expect(await workOff(always)).toMatchObject({ state: 'failed', error: 'not yet' });
  expect(always.calls).toEqual(['run', 'run', 'run', 'not yet']);
});

test('a lease that is lost by a kill is no failed try', async () => {
  await add();
  await killed(40);
  const twice = handler(2);
  expect(await workOff(twice)).toMatchObject({ state: 'done', attempts: 2 });
});

test('a job that ends every worker is given up after a hundred of them', async () => {
  await add();
  await killed(100);
  const never = handler(0);
  expect(await workOff(never)).toMatchObject({ state: 'failed', error: '100 workers ended in the middle of it' });
  expect(never.calls).toEqual(['100 workers ended in the middle of it']);
});

test('the work of one tenant lets the others have their turn', async () => {
  const other = { ...auth, tenant_id: 'another-tenant' };
  const [begun, ended]: [string[], string[]] = [[], []];
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const long: JobHandler = {
    async run({ context, payload }) {
      begun.push(String(payload['name']));
      if (context.auth.tenant_id === auth.tenant_id) await released;
      ended.push(String(payload['name']));
    },
    async giveUp() {},
  };
  for (const name of ['first', 'second']) {
    await database.transaction((transaction) => queue.add(transaction, auth, 'work', { name }));
    storeClock.advance(1);
  }
  await database.transaction((transaction) => queue.add(transaction, other, 'work', { name: 'other' }));
  const services = { database, storeClock, clock: storeClock, jobs: queue, logger: createLogger('silent') } as unknown as EngineServices;
  const worker = new Worker(services, new Map([['work', { engine: 'check', handler: long }]]), 4);
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  try {
    // the second of the tenant was due before the other tenant's, and waits for the first
    await until(() => ended.length === 1);
    expect([begun.sort(), ended]).toEqual([['first', 'other'], ['other']]);
    release();
    await until(() => ended.length === 3);
    expect(begun.at(-1)).toBe('second');
  } finally {
    release();
    await worker.stop();
  }
});
