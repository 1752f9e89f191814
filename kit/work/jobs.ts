import { randomUUID } from 'node:crypto';
import type { AuthContext } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import { defineCollection } from '../store/collection.js';
import type { Database } from '../store/database.js';
import { LEASE_MS } from './lease.js';
import type { TransactionOf } from '../store/query.js';
import { endedTenants } from './tenant-ends.js';
import { Wakeup } from './wakeup.js';

/** One piece of background work of a tenant. */
export interface JobRow {
  _id: string;
  tenant_id: string;
  kind: string;
  payload: Record<string, unknown>;
  /** Who asked for it, with the rights it runs under. */
  auth: AuthContext;
  state: 'queued' | 'leased' | 'done' | 'failed';
  attempts: number;
  /** Until when the worker that leased it is believed to live. */
  leased_until: Date | null;
  leased_by: string | null;
  error: string | null;
  created_at: Date;
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export const jobs = defineCollection<JobRow>(
  'jobs',
  {
    kind: String,
    payload: Object,
    auth: Object,
    state: String,
    attempts: Number,
    leased_until: Date,
    leased_by: String,
    error: String,
    created_at: Date,
  },
  [{ key: { tenant_id: 1, state: 1 } }, { key: { created_at: 1 }, options: { name: 'waiting', expireAfterSeconds: 7 * 86_400 } }],
);

/** The queue that all processes share; it lives in the database. */
export class JobQueue {
  private readonly wakeup = new Wakeup();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Adds a job within `transaction`, so that the work and its reason exist together or not at all. Call `wake` after the commit. */
  async add(transaction: TransactionOf, auth: AuthContext, kind: string, payload: Record<string, unknown>): Promise<string> {
    const _id = randomUUID();
    const row: JobRow = {
      _id,
      tenant_id: auth.tenant_id,
      kind,
      payload,
      auth,
      state: 'queued',
      attempts: 0,
      leased_until: null,
      leased_by: null,
      error: null,
      created_at: this.clock.now(),
    };
    await this.database.tenant(auth.tenant_id).collection(jobs).insert(row, { transaction });
    return _id;
  }

  /** Tells the workers of this process that a job waits; those of others find it by polling. */
  wake(): void {
    this.wakeup.wake();
  }

  /** Resolves after `milliseconds`, or earlier when a job is added in this process. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.wakeup.sleep(milliseconds, signal);
  }

  /** Takes the oldest job that waits or whose worker died, or null. Those of an ended tenant wait until it is taken back. */
  async lease(worker: string, kinds: readonly string[]): Promise<JobRow | null> {
    const now = this.clock.now();
    const tenant_id = { $nin: await endedTenants(this.database) };
    const free = { kind: { $in: kinds }, tenant_id, $or: [{ state: 'queued' }, { state: 'leased', leased_until: { $lt: now } }] };
    const taken = { $set: { state: 'leased', leased_by: worker, leased_until: new Date(now.getTime() + LEASE_MS) }, $inc: { attempts: 1 } };
    return this.database.system(jobs).findAndUpdate(free, taken, { sort: { created_at: 1 }, returnNew: true });
  }

  /** Extends a lease. @throws LeaseLost */
  async extend(job: JobRow): Promise<void> {
    const leased_until = new Date(this.clock.now().getTime() + LEASE_MS);
    const { matched } = await this.rows(job).update(
      { _id: job._id, leased_by: job.leased_by, attempts: job.attempts },
      { $set: { leased_until } },
    );
    if (matched === 0) throw new LeaseLost(`job ${job._id} was taken over`);
  }

  async finish(job: JobRow, error: string | null): Promise<void> {
    const end = { state: error === null ? 'done' : 'failed', error, leased_until: null };
    await this.rows(job).update({ _id: job._id, attempts: job.attempts }, { $set: end });
  }

  /** Gives a job back at once, for a worker that shuts down. */
  async release(job: JobRow): Promise<void> {
    await this.rows(job).update(
      { _id: job._id, attempts: job.attempts },
      { $set: { state: 'queued', leased_until: null }, $inc: { attempts: -1 } },
    );
  }

  /** Lets a job be leased again after `milliseconds`. */
  async postpone(job: JobRow, milliseconds: number): Promise<void> {
    await this.rows(job).update(
      { _id: job._id, attempts: job.attempts },
      { $set: { leased_until: new Date(this.clock.now().getTime() + milliseconds) } },
    );
  }

  private rows(job: JobRow) {
    return this.database.tenant(job.tenant_id).collection(jobs);
  }
}
