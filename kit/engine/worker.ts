import { backOff, workOffDue, type Outcome, type Taken } from '../work/due.js';
import { jobs, type JobRow } from '../work/jobs.js';
import type { EngineServices } from './context.js';
import { createEngineContext } from './create-context.js';
import type { JobHandler, JobRun } from './job.js';

/** A job that failed this often is given up. */
const MAX_ATTEMPTS = 3;
/**
 * So is one that was taken this often without an end: a lease that is lost by a kill is no failed try (decision 60), but a job that ends
 * every worker must not come back for ever.
 */
const MAX_TAKES = 100;

/** Milliseconds before a job that threw is tried again: after the first try, the second. */
const RETRIES = [2_000, 4_000];

/** The handlers of all engines: kind of job -> engine and handler. */
export type JobHandlers = ReadonlyMap<string, { engine: string; handler: JobHandler }>;

/** Takes jobs and runs them until it is stopped. */
export class Worker {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  /** @param concurrency jobs at a time, of which one tenant has at most a quarter */
  constructor(
    private readonly services: EngineServices,
    private readonly handlers: JobHandlers,
    concurrency: number,
  ) {
    const work = {
      name: 'jobs',
      collection: jobs,
      where: { kind: { $in: [...handlers.keys()] } },
      atATime: concurrency,
      // the import of one tenant holds up nobody else's work, nor does it meet another of its own at the head of the audit log
      ofATenant: Math.ceil(concurrency / 4),
      onTake: { $set: { state: 'leased' } },
      onGiveBack: { $set: { state: 'queued' } },
      wakeup: services.jobs.wakeup,
      run: (taken: Taken<JobRow>) => this.run(taken),
      failed: (taken: Taken<JobRow>, error: unknown) => this.failed(taken, error as Error),
    };
    this.running = workOffDue(services, work, this.stopping.signal);
  }

  /** Takes nothing more, asks running jobs to stop, and waits for them; they go back to the queue. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(taken: Taken<JobRow>): Promise<Outcome<JobRow>> {
    if (taken.row.lease_no > MAX_TAKES) return this.giveUp(taken, `${MAX_TAKES} workers ended in the middle of it`);
    await this.handlerOf(taken).run(this.jobOf(taken));
    return { due_at: null, set: { state: 'done', error: null } };
  }

  private async failed(taken: Taken<JobRow>, error: Error): Promise<Outcome<JobRow>> {
    const { _id, kind } = taken.row;
    const attempts = taken.row.attempts + 1;
    this.services.logger.error({ err: error, job: _id, kind, attempt: attempts }, 'a job failed');
    if (attempts >= MAX_ATTEMPTS) return this.giveUp(taken, error.message);
    const due_at = new Date(this.services.storeClock.now().getTime() + backOff(RETRIES, attempts));
    return { due_at, set: { state: 'queued', attempts } };
  }

  private async giveUp(taken: Taken<JobRow>, reason: string): Promise<Outcome<JobRow>> {
    await this.handlerOf(taken).giveUp(this.jobOf(taken), reason);
    return { due_at: null, set: { state: 'failed', error: reason } };
  }

  private handlerOf({ row }: Taken<JobRow>): JobHandler {
    return this.handlers.get(row.kind)!.handler;
  }

  private jobOf({ row, signal }: Taken<JobRow>): JobRun {
    const { engine } = this.handlers.get(row.kind)!;
    const context = createEngineContext(this.services, engine, row.auth, signal);
    return { context, payload: row.payload, alive: () => signal.throwIfAborted() };
  }
}
