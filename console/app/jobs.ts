import { useEffect, useState } from 'preact/hooks';
import { ask, refusalFor, type Refusal } from './api.js';

/** Work that goes on by itself (`GET /jobs/{id}`). */
export interface Job {
  readonly job_id: string;
  readonly state: 'QUEUED' | 'RUNNING' | 'CANCELLING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly done: number;
  readonly total: number | null;
  readonly result: unknown;
  readonly result_url: string | null;
  readonly error: string | null;
}

export const isOver = ({ state }: Pick<Job, 'state'>): boolean => state === 'COMPLETED' || state === 'FAILED' || state === 'CANCELLED';

/** Milliseconds between two looks. */
const PACE = 2_000;

/** A job as it goes. */
export interface Followed {
  readonly job: Job | null;
  /** Why nobody looks any more. */
  readonly error: Refusal | null;
}

const NOTHING: Followed = { job: null, error: null };

/** Follows a job until it is over, or cannot be read. @param over is called once it is over */
export function useJob(id: string | null, over: (job: Job) => void): Followed {
  const [followed, setFollowed] = useState<Followed>(NOTHING);
  useEffect(() => {
    if (id === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const left = new AbortController();
    const again = (seconds: number | null) => (timer = setTimeout(look, seconds === null ? PACE : seconds * 1_000));
    const look = () =>
      void ask<Job>(`/api/v1/jobs/${encodeURIComponent(id)}`, left.signal).then(
        (job) => {
          if (left.signal.aborted) return;
          setFollowed({ job, error: null });
          if (isOver(job)) over(job);
          else again(null);
        },
        (problem: unknown) => {
          if (left.signal.aborted) return;
          const error = refusalFor(problem);
          if (error.mayPass) again(error.retryAfter);
          else setFollowed({ job: null, error });
        },
      );
    look();
    return () => {
      left.abort();
      clearTimeout(timer);
      setFollowed(NOTHING);
    };
  }, [id]);
  return followed;
}
