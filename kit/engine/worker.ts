import { backOff, heldBy, workOffDue, type Outcome, type Taken } from '../work/due.js';
import { JobFence, JobTakenOver } from '../work/job-fence.js';
import { jobs, type JobRow } from '../work/jobs.js';
import { withinFence } from '../store/fence.js';
import type { TransactionOf } from '../store/query.js';
import type { EngineServices } from './context.js';
import { createEngineContext } from './create-context.js';
import { JobCancelled, JobFailure, type JobHandler, type JobProgress, type JobRun } from './job.js';

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
      farthestMs: RETRIES.at(-1)!,
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
    if (taken.row.readers && !taken.row.started_at) await this.begin(taken);
    await this.handle(taken);
    return this.ended('done', null);
  }

  private async handle(taken: Taken<JobRow>): Promise<void> {
    const handler = this.handlerOf(taken);
    const job = this.jobOf(taken);
    if (!handler.isFenced) return handler.run(job);
    const fence = await JobFence.open(this.services.database, taken.row);
    await withinFence(fence, () => handler.run(job));
    await fence.end();
  }

  private async failed(taken: Taken<JobRow>, error: Error): Promise<Outcome<JobRow> | null> {
    const { _id, kind } = taken.row;
    if (error instanceof JobTakenOver) return null;
    if (error instanceof JobCancelled) return this.ended('cancelled', null);
    if (error instanceof JobFailure) return this.giveUp(taken, error.message, error.message);
    const attempts = taken.row.attempts + 1;
    this.services.logger.error({ err: error, job: _id, kind, attempt: attempts }, 'a job failed');
    if (attempts >= MAX_ATTEMPTS) return this.giveUp(taken, error.message);
    const due_at = new Date(this.services.storeClock.now().getTime() + backOff(RETRIES, attempts));
    return { due_at, set: { state: 'queued', attempts } };
  }

  /** @param told the reason as people are told it */
  private async giveUp(taken: Taken<JobRow>, reason: string, told: string | null = null): Promise<Outcome<JobRow>> {
    await this.handlerOf(taken).giveUp(this.jobOf(taken), reason);
    const { due_at, set } = this.ended('failed', reason);
    return { due_at, set: { ...set, ...(told !== null && { reason: told }) } };
  }

  private ended(state: JobRow['state'], error: string | null): Outcome<JobRow> {
    return { due_at: null, set: { state, error, completed_at: this.services.clock.now() } };
  }

  private async begin({ row }: Taken<JobRow>): Promise<void> {
    await this.rowsOf(row).update(heldBy(row), { $set: { started_at: this.services.clock.now() } });
  }

  private async advance({ row }: Taken<JobRow>, transaction: TransactionOf, progress: JobProgress): Promise<void> {
    const now = await this.rowsOf(row).findAndUpdate(heldBy(row), { $set: progress }, { transaction, returnNew: true });
    if (!now) throw new JobTakenOver(row._id);
    if (now.cancel_at) throw new JobCancelled();
  }

  private rowsOf({ tenant_id }: JobRow) {
    return this.services.database.tenant(tenant_id).collection(jobs);
  }

  private handlerOf({ row }: Taken<JobRow>): JobHandler {
    return this.handlers.get(row.kind)!.handler;
  }

  private jobOf(taken: Taken<JobRow>): JobRun {
    const { row, signal } = taken;
    const { engine } = this.handlers.get(row.kind)!;
    const context = createEngineContext(this.services, engine, row.auth, signal);
    return {
      context,
      payload: row.payload,
      alive: () => signal.throwIfAborted(),
      isFollowed: row.readers !== undefined,
      position: row.position ?? null,
      result: row.result ?? null,
      advance: (transaction, progress) => this.advance(taken, transaction, progress),
    };
  }
}
