import { defineCollection } from '../store/collection.js';
import type { Database, TenantDatabase } from '../store/database.js';
import { date, number } from '../store/fields.js';
import type { Fence } from '../store/fence.js';
import type { TransactionOf } from '../store/query.js';
import type { JobRow } from './jobs.js';

/** Transactions of one job that run at the same time; more wait. */
const LANES = 4;
/** Milliseconds after which rows are forgotten that no worker came to remove: as long as a job itself is kept. */
const KEPT = 7 * 86_400_000;

/**
 * Rows that the transactions of a job write first, one each at a time; `_id` is `<job>|<lane>`. Several stand for the job, so that its transactions meet neither
 * each other nor the signs of life on its own row.
 */
export const jobFences = defineCollection(
  'job_fences',
  {
    /** That of the job's last taking. */
    lease_no: number,
    /** Grows with each transaction, so that two that hold one row meet. */
    passed: number,
    expires_at: date,
  },
  [{ key: { expires_at: 1 }, options: { name: 'forgotten', expireAfterSeconds: 0 } }],
);

/** The job was taken by another worker: a transaction of who had it before is undone. */
export class JobTakenOver extends Error {
  override readonly name = 'JobTakenOver';
  constructor(jobId: string) {
    super(`jobs: ${jobId} was taken over`);
  }
}

/**
 * Lets transactions of a job pass while it is in the hands of whoever opened this, and none that belongs to an earlier taking (decision 60): each writes a row that
 * the next taking writes, too, so that it has either ended before, or is undone.
 */
export class JobFence implements Fence {
  private readonly free: number[] = Array.from({ length: LANES }, (_, lane) => lane);
  private readonly waiting: ((lane: number) => void)[] = [];

  private constructor(
    private readonly tenant: TenantDatabase,
    private readonly job: Pick<JobRow, '_id' | 'lease_no'>,
  ) {}

  /** Shuts out all earlier takings of the job; waits for those of their transactions that have passed already. */
  static async open(database: Database, job: JobRow): Promise<JobFence> {
    const fence = new JobFence(database.tenant(job.tenant_id), job);
    const expires_at = new Date(database.clock.now().getTime() + KEPT);
    // who opens late does not take the number back
    const update = { $max: { lease_no: job.lease_no }, $inc: { passed: 1 }, $set: { expires_at } };
    await fence.rows.bulkUpdate(fence.lanes.map((_id) => ({ _id, update, upsert: true })));
    return fence;
  }

  async pass<R>(work: (first: (transaction: TransactionOf) => Promise<void>) => Promise<R>): Promise<R> {
    const lane = this.free.shift() ?? (await new Promise<number>((resolve) => this.waiting.push(resolve)));
    try {
      return await work((transaction) => this.write(lane, transaction));
    } finally {
      const next = this.waiting.shift();
      if (next) next(lane);
      else this.free.push(lane);
    }
  }

  /** Removes the rows of a job that has ended: nothing passes any more. */
  async end(): Promise<void> {
    const { lease_no } = this.job;
    await this.rows.remove({ _id: { $in: this.lanes }, lease_no });
  }

  private async write(lane: number, transaction: TransactionOf): Promise<void> {
    const { lease_no } = this.job;
    const { matched } = await this.rows.update({ _id: this.lanes[lane]!, lease_no }, { $inc: { passed: 1 } }, { transaction });
    if (matched === 0) throw new JobTakenOver(this.job._id);
  }

  private get lanes(): string[] {
    return Array.from({ length: LANES }, (_, lane) => `${this.job._id}|${lane}`);
  }

  private get rows() {
    return this.tenant.collection(jobFences);
  }
}
