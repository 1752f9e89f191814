import { randomUUID } from 'node:crypto';
import { defineCollection } from '../../kit/store/collection.js';
import { Database } from '../../kit/store/database.js';
import { withinFence } from '../../kit/store/fence.js';
import { number } from '../../kit/store/fields.js';
import { JobFence, jobFences, JobTakenOver } from '../../kit/work/job-fence.js';
import type { JobRow } from '../../kit/work/jobs.js';

const done = defineCollection('done_by_jobs', { by: number });

let first: Database;
let second: Database;
beforeAll(async () => {
  const name = `fence_${randomUUID().slice(0, 8)}`;
  const open = () => Database.open(process.env['PALISADE_TEST_MONGODB_URI']!, name, [done, jobFences]);
  first = await open();
  second = await open();
});
afterAll(async () => {
  await first.drop();
  await first.close();
  await second.close();
});

/** A job as a worker has taken it the nth time. */
const taken = (tenant_id: string, lease_no: number) => ({ _id: `job-of-${tenant_id}`, tenant_id, lease_no }) as JobRow;
const write = (database: Database, tenant_id: string, by: number, meanwhile: () => Promise<unknown> = async () => undefined) =>
  database.transaction(async (transaction) => {
    await database.tenant(tenant_id).collection(done).insert({ _id: randomUUID(), tenant_id, by }, { transaction });
    await meanwhile();
  });
const written = async (tenant_id: string) => (await first.tenant(tenant_id).collection(done).find({})).map(({ by }) => by).sort();

it('transactions of who has the job pass, many at the same time', async () => {
  const tenant = randomUUID();
  const fence = await JobFence.open(first, taken(tenant, 1));
  await withinFence(fence, () => Promise.all(Array.from({ length: 20 }, () => write(first, tenant, 1))));
  expect(await written(tenant)).toHaveLength(20);
});

it('after another worker has taken the job, none of the former passes, and what has none stays free', async () => {
  const tenant = randomUUID();
  const former = await JobFence.open(first, taken(tenant, 1));
  const latter = await JobFence.open(second, taken(tenant, 2));
  for (let count = 0; count < 6; count++)
    await expect(withinFence(former, () => write(first, tenant, 1))).rejects.toBeInstanceOf(JobTakenOver);
  await withinFence(latter, () => write(second, tenant, 2));
  await write(first, tenant, 3);
  expect(await written(tenant)).toEqual([2, 3]);
});

it('a transaction that has begun when the job is taken has ended before the next taking begins, or is undone', async () => {
  const tenant = randomUUID();
  const former = await JobFence.open(first, taken(tenant, 1));
  let opened = false;
  let opening: Promise<JobFence> | undefined;
  const late = withinFence(former, () =>
    write(first, tenant, 1, async () => {
      opening ??= JobFence.open(second, taken(tenant, 2)).finally(() => (opened = true));
      // it cannot come through beside this transaction, or this one is undone
      await Promise.race([opening, new Promise((resolve) => setTimeout(resolve, 300))]);
    }),
  ).then(
    () => opened,
    (error: unknown) => {
      expect(error).toBeInstanceOf(JobTakenOver);
      return 'undone';
    },
  );
  expect([false, 'undone']).toContain(await late);
  await withinFence(await opening!, () => write(second, tenant, 2));
  expect(await written(tenant)).toEqual((await late) === 'undone' ? [2] : [1, 2]);
});

it('a worker that opens late neither takes the number back nor removes the rows of the next', async () => {
  const tenant = randomUUID();
  const latter = await JobFence.open(second, taken(tenant, 2));
  const former = await JobFence.open(first, taken(tenant, 1));
  await former.end();
  await expect(withinFence(former, () => write(first, tenant, 1))).rejects.toBeInstanceOf(JobTakenOver);
  await withinFence(latter, () => write(second, tenant, 2));
  await latter.end();
  expect(await first.tenant(tenant).collection(jobFences).count({})).toBe(0);
  // nor does a job that has ended let anything through
  await expect(withinFence(latter, () => write(second, tenant, 2))).rejects.toBeInstanceOf(JobTakenOver);
  expect(await written(tenant)).toEqual([2]);
});
