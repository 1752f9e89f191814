import type { ComponentChildren } from 'preact';
import { countText } from '../format.js';
import { isOver, useJob, type Job } from '../jobs.js';

interface JobBarProps {
  readonly id: string;
  /** What it counts, for who does not see it. */
  readonly label: string;
  readonly over: () => void;
  readonly close: () => void;
  /** What came of it, where it did what it should. */
  readonly result: (job: Job) => ComponentChildren;
}

function Outcome({ job, result }: { readonly job: Job; readonly result: JobBarProps['result'] }) {
  if (job.state === 'COMPLETED') return <span>Done{job.error ? `: ${job.error}` : <> {result(job)}</>}</span>;
  return (
    <span>
      {job.state === 'FAILED' ? 'Failed' : 'Stopped'}
      {job.error && `: ${job.error}`}
    </span>
  );
}

/** Work that a job does: it may be left, and is found again by the address. */
export function JobBar({ id, label, over, close, result }: JobBarProps) {
  const { job, error } = useJob(id, over);
  if (!job && !error) return null;
  return (
    <div class="bulk" role={error ? 'alert' : 'status'}>
      {error && <span>What became of the job cannot be read: {error.message}.</span>}
      {job && isOver(job) && <Outcome job={job} result={result} />}
      {job && !isOver(job) && (
        <>
          <progress value={job.total ? job.done : undefined} max={job.total ?? undefined} aria-label={label} />
          <span>
            {countText(job.done)} of {countText(job.total)}
          </span>
        </>
      )}
      <button type="button" class="quiet" onClick={close}>
        {error || (job && isOver(job)) ? 'Close' : 'Leave it to itself'}
      </button>
    </div>
  );
}
