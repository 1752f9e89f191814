import type { TransactionOf } from '../store/query.js';
import type { EngineContext } from './context.js';

/** One try at a job. */
export interface JobRun {
  readonly context: EngineContext;
  readonly payload: Record<string, unknown>;
  /** Throws when the worker stops or another one took the job over; call it between steps. */
  alive(): void;
  /** Whether people follow it. */
  readonly isFollowed: boolean;
  /** Where the last `advance` of this or an earlier try has left it; null at the beginning. */
  readonly position: string | null;
  /** What came of it until there. */
  readonly result: Readonly<Record<string, unknown>> | null;
  /**
   * Notes how far a followed job is, in the transaction of what it has done.
   * @throws JobCancelled when a person has asked it to stop; an Error when it is another worker's: what the transaction did is undone
   */
  advance(transaction: TransactionOf, progress: JobProgress): Promise<void>;
}

/** How far a job is, and what came of it so far. */
export interface JobProgress {
  readonly done: number;
  readonly position: string;
  readonly result: Readonly<Record<string, unknown>>;
  /** Where what it made is to be had, once it is made. */
  readonly result_url?: string;
}

/** A person has asked the job to stop. */
export class JobCancelled extends Error {
  override readonly name = 'JobCancelled';
}

/** The job cannot be done, however often it is tried; `message` is told to people. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure';
}

export interface JobHandler {
  /**
   * Whether every transaction within it is undone when another worker has taken the job meanwhile, not only those that `advance`: for work that writes much between
   * two looks at `alive`.
   */
  readonly isFenced?: true;
  /** Does the job. It may be called again for the same job after a crash, so it must be idempotent. */
  run(job: JobRun): Promise<void>;
  /** Notes that the job is given up: it failed too often. */
  giveUp(job: JobRun, reason: string): Promise<void>;
}
