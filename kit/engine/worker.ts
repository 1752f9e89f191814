import { randomUUID } from 'node:crypto';
import { LEASE_MS } from '../work/lease.js';
import { LeaseLost, type JobRow } from '../work/jobs.js';
import type { EngineServices } from './context.js';
import { createEngineContext } from './create-context.js';
import type { JobHandler, JobRun } from './job.js';

/** A job that ended its worker this often is given up. */
export const MAX_ATTEMPTS = 3;

/** Milliseconds between two looks at the queue when nothing wakes the worker. */
const POLL_MS = 1_000;
/** Milliseconds before a job that threw is tried again, times the attempts so far. */
const RETRY_MS = 2_000;

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
