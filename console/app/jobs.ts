import { useEffect, useState } from 'preact/hooks';
import { ask } from './api.js';

/** Work that goes on by itself (`GET /jobs/{id}`). */
export interface Job {
  readonly job_id: string;
  readonly state: 'QUEUED' | 'RUNNING' | 'CANCELLING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly done: number;
  readonly total: number | null;
  readonly result: unknown;
  readonly error: string | null;
}

export const isOver = ({ state }: Pick<Job, 'state'>): boolean => state === 'COMPLETED' || state === 'FAILED' || state === 'CANCELLED';

/** Milliseconds between two looks. */
const PACE = 2_000;

/** Follows a job until it is over. @param over is called once, then */
export function useJob(id: string | null, over: (job: Job) => void): Job | null {
  const [job, setJob] = useState<Job | null>(null);
  useEffect(() => {
    if (id === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const left = new AbortController();
    const look = async () => {
      const now = await ask<Job>(`/api/v1/jobs/${encodeURIComponent(id)}`, left.signal).catch(() => null);
      if (left.signal.aborted) return;
      setJob(now);
      if (now && isOver(now)) over(now);
      else timer = setTimeout(() => void look(), PACE);
    };
    void look();
    return () => {
      left.abort();
      clearTimeout(timer);
      setJob(null);
    };
  }, [id]);
  return job;
}
