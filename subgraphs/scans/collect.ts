import { Readable } from 'node:stream';
import { AccountRefused } from '../../kit/engine/account-scans.js';
import { JobFailure, type JobRun } from '../../kit/engine/job.js';
import { PalisadeError } from '../../kit/base/errors.js';
import type { CancelWatch } from './cancel-watch.js';
import { scanRuns, type RunStage, type ScanRunRow } from './records.js';
import { ReportFault } from './report-items.js';
import type { StageClock } from './stages.js';
import { withinTime } from './time-limit.js';

/**
 * Asks the account of a run for all that there is, and keeps the answers as the report that the run then reads. A run that has its report, an import above
 * all, is left as it is: a second try reads what the first one was told.
 * @throws ReportFault, which tells why the account could not be asked; Cancelled
 */
export async function collectReport(job: JobRun, run: ScanRunRow, stages: StageClock, watch: CancelWatch): Promise<ScanRunRow> {
  const { coverage, upload_id, provider } = run;
  if (!coverage || upload_id !== null) return run;
  const { auth, services } = job.context;
  const observed_at = services.clock.now();
  const kept = await stages.during('collect', async () => {
    try {
      const { isWhole, lines } = await services.ingest.accountScans.collect(job.context, coverage, watch.signal);
      const maxBytes = services.config.MAX_IMPORT_MB * 1_048_576;
      const { id, sha256 } = await services.objects.put(auth.tenant_id, Readable.from(whileAlive(job, withinTime(lines, services.clock))), {
        maxBytes,
      });
      const estate = isWhole ? `account:${provider}:${coverage.account_id}` : null;
      return { upload_id: id, report_sha256: sha256, observed_at, estate };
    } catch (error) {
      watch.check();
      throw toldOf(error);
    }
  });
  const keep = { $set: { ...kept, stages: stages.all } };
  // in a transaction, which a worker that has lost the run cannot make
  await job.context.transaction((transaction) => job.context.collection(scanRuns).update({ _id: run._id }, keep, { transaction }));
  return { ...run, ...kept };
}

/** The stage of an earlier try that has asked the account of a run: the next one reads what it was told. */
export const collectedBefore = ({ coverage, upload_id, stages = [] }: ScanRunRow): RunStage[] =>
  coverage && upload_id !== null ? stages.filter(({ stage }) => stage === 'collect') : [];

async function* whileAlive(job: JobRun, lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    job.alive();
    yield line;
  }
}

/** What people are told of it, where it is for them; whatever else is wrong is tried again. */
function toldOf(error: unknown): unknown {
  if (error instanceof AccountRefused || error instanceof JobFailure) return new ReportFault(error.message);
  return error instanceof PalisadeError && error.code === 'PAYLOAD_TOO_LARGE'
    ? new ReportFault('The account answers more than a report may hold: narrow the scan to some regions or services.')
    : error;
}
