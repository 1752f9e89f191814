import { JobCancelled, JobFailure, type JobRun } from '../../kit/engine/job.js';
import { scanRuns } from './records.js';

/** Lets who follows the job of a run know what became of it. @param _id that of the run's row. @throws JobCancelled, JobFailure where the run ended so */
export async function tellOutcome(job: JobRun, _id: string): Promise<void> {
  const run = await job.context.collection(scanRuns).findOne({ _id });
  if (!run) return;
  const { scan_run_id, state, counts, errors } = run;
  const result = { scan_run_id, state, counts };
  await job.context.transaction((transaction) => job.advance(transaction, { done: counts.records, position: state, result }));
  if (state === 'CANCELLED') throw new JobCancelled();
  if (state === 'FAILED') throw new JobFailure(errors[0]?.reason ?? 'nothing of the report could be taken in');
}
