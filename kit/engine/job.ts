import type { EngineContext } from './context.js';

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
  /** Notes that the job is given up: it failed too often. */
  giveUp(job: JobRun, reason: string): Promise<void>;
}
