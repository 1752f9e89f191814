import { randomUUID } from 'node:crypto';
import type { AuthContext } from '../base/auth-context.js';
import type { Clock } from '../base/clock.js';
import { defineCollection } from '../store/collection.js';
import type { EngineContext, EngineServices } from '../engine/context.js';
import type { Database } from '../store/database.js';
import { createEngineContext } from '../engine/create-context.js';
import { LEASE_MS } from './lease.js';
import type { TransactionOf } from '../store/tenant-collection.js';
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

/** One try at a job. */
export interface JobRun {
  readonly context: EngineContext;
  readonly payload: Record<string, unknown>;
  /** Throws when the worker stops or another one took the job over; call it between steps. */
  alive(): void;
}

export interface JobHandler {
  /** Does the job. It may be called again for the same job after a crash, so it must be idempotent. */
  run(job: JobRun): Promise<void>;
  /** Notes that the job is given up after MAX_ATTEMPTS tries. */
  giveUp(job: JobRun, reason: string): Promise<void>;
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A job that ended its worker this often is given up. */
export const MAX_ATTEMPTS = 3;

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

  /** Takes the oldest job that waits or whose worker died, or null. */
  lease(worker: string, kinds: readonly string[]): Promise<JobRow | null> {
    const now = this.clock.now();
    const free = { kind: { $in: kinds }, $or: [{ state: 'queued' }, { state: 'leased', leased_until: { $lt: now } }] };
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

/** The handlers of all engines: kind of job -> engine and handler. */
export type JobHandlers = ReadonlyMap<string, { engine: string; handler: JobHandler }>;

/** Leases jobs and runs them until it is stopped. */
export class Worker {
  private readonly stopping = new AbortController();
  private readonly loops: Promise<void>[];

  constructor(
    private readonly services: EngineServices,
    private readonly handlers: JobHandlers,
    concurrency: number,
  ) {
    this.loops = Array.from({ length: concurrency }, () => this.loop(randomUUID()));
  }

  /** Stops leasing, asks running jobs to stop, and waits for them; they go back to the queue. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops);
  }

  private async loop(name: string): Promise<void> {
    const { jobs: queue, logger } = this.services;
    while (!this.stopping.signal.aborted) {
      const job = await queue.lease(name, [...this.handlers.keys()]).catch((error: unknown) => {
        logger.warn({ err: error }, 'the job queue does not answer');
        return null;
      });
      if (job) await this.run(job);
      else await queue.sleep(POLL_MS, this.stopping.signal);
    }
  }

  private async run(row: JobRow): Promise<void> {
    const { jobs: queue, logger } = this.services;
    const { engine, handler } = this.handlers.get(row.kind)!;
    const lost = new AbortController();
    const heartbeat = setInterval(
      () => queue.extend(row).catch((error: unknown) => error instanceof LeaseLost && lost.abort(error)),
      LEASE_MS / 3,
    );
    const signal = AbortSignal.any([this.stopping.signal, lost.signal]);
    const job: JobRun = {
      context: createEngineContext(this.services, engine, row.auth, signal),
      payload: row.payload,
      alive: () => signal.throwIfAborted(),
    };
    try {
      if (row.attempts > MAX_ATTEMPTS) await this.giveUp(row, job, handler, `the worker ended ${MAX_ATTEMPTS} times in the middle of it`);
      else {
        await handler.run(job);
        await queue.finish(row, null);
      }
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, job: row._id, kind: row.kind, attempt: row.attempts }, 'a job failed');
      if (!lost.signal.aborted)
        await this.afterFailure(row, job, handler, error as Error).catch((failure: unknown) =>
          logger.error({ err: failure, job: row._id }, 'the end of a job could not be stored'),
        );
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async afterFailure(row: JobRow, job: JobRun, handler: JobHandler, error: Error): Promise<void> {
    if (this.stopping.signal.aborted) await this.services.jobs.release(row);
    else if (row.attempts >= MAX_ATTEMPTS) await this.giveUp(row, job, handler, error.message);
    else await this.services.jobs.postpone(row, row.attempts * RETRY_MS);
  }

  private async giveUp(row: JobRow, job: JobRun, handler: JobHandler, reason: string): Promise<void> {
    await handler.giveUp(job, reason);
    await this.services.jobs.finish(row, reason);
  }
}

/** Milliseconds between two looks at the queue when nothing wakes the worker. */
const POLL_MS = 1_000;
/** Milliseconds before a job that threw is tried again, times the attempts so far. */
const RETRY_MS = 2_000;
