import type { EngineContext } from '../../kit/engine/context.js';
import { conflict, gone, notFound, PalisadeError } from '../../kit/base/errors.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { changeRunRow } from './events/write.js';
import {
  FINAL_STATES,
  IMPORT_REPORT,
  NOT_FINAL,
  scanRunRowId,
  scanRuns,
  type RunEngine,
  type RunStage,
  type ScanRunRow,
} from './records.js';
import { waitingStages } from './stages.js';

const RETRIED: readonly ScanRunRow['state'][] = ['FAILED', 'CANCELLED'];
/** What could not be asked the first time is asked again. */
const ASKED_AGAIN: readonly ScanRunRow['state'][] = [...RETRIED, 'PARTIAL'];

/**
 * Asks a run to stop. One that waits is CANCELLED at once; one that a worker is on is CANCELLING until the worker has stopped and its
 * counts are final. Its worker notices within a second, between two batches.
 * @throws PalisadeError NOT_FOUND; CONFLICT for a run that has ended
 */
export function cancelScanRun(context: EngineContext, scanRunId: string): Promise<ScanRunRow> {
  return changeRun(context, scanRunId, 'scan.cancel', (run) => {
    if (FINAL_STATES.includes(run.state)) throw conflict(`The run is ${run.state} already`);
    if (run.state !== 'QUEUED') return { state: 'CANCELLING' };
    const completed_at = context.services.clock.now();
    const cancelled = { state: 'CANCELLED' } as const;
    return {
      ...cancelled,
      completed_at,
      engines: run.engines.map((engine): RunEngine => ({ ...engine, ...cancelled })),
      ...(run.stages && { stages: run.stages.map((stage): RunStage => ({ ...stage, ...cancelled })) }),
    };
  });
}

/**
 * Runs the parts of a failed or cancelled run again, under its own id and over the report that it was made of. A run that asks an account may be incomplete,
 * too, and asks it again.
 * @throws PalisadeError NOT_FOUND; CONFLICT for a run that has not failed, or whose scan is at work; GONE when its report is no longer kept
 */
export async function retryScanRun(context: EngineContext, scanRunId: string): Promise<ScanRunRow> {
  const { auth, services } = context;
  const retried = await changeRun(context, scanRunId, 'scan.retry', async (run, transaction) => {
    const retriable = run.coverage ? ASKED_AGAIN : RETRIED;
    if (!retriable.includes(run.state)) throw conflict(`The run is ${run.state}; only ${retriable.join(' and ')} runs are run again`);
    if (run.coverage) await assertAlone(context, run, transaction);
    else await assertKept(context, run);
    await services.jobs.add(transaction, auth, IMPORT_REPORT, { scan_run_id: scanRunId });
    return {
      state: 'QUEUED',
      engines: run.engines.map((engine): RunEngine => ({ ...engine, state: 'QUEUED', error: null })),
      ...(run.stages && { stages: waitingStages(run.stages.map(({ stage }) => stage)) }),
      errors: [],
      total_findings: null,
      completed_at: null,
      ...(run.coverage && { upload_id: null, observed_at: null }),
    };
  });
  services.jobs.wake();
  return retried;
}

/** @throws PalisadeError CONFLICT while another run of the same scan is at work, or waits */
async function assertAlone(context: EngineContext, { scan_id }: ScanRunRow, transaction: TransactionOf): Promise<void> {
  const other = await context.collection(scanRuns).findOne({ scan_id, ...NOT_FINAL }, { fields: ['scan_run_id'], transaction });
  if (other) throw conflict(`The scan is at work: ${other.scan_run_id}`, { scan_run_id: other.scan_run_id });
}

async function assertKept({ auth, services }: EngineContext, { upload_id }: ScanRunRow): Promise<void> {
  const lost = gone('The report of this run is no longer kept: import it again under a new scan_run_id');
  if (upload_id === null) throw lost;
  await services.objects.open(auth.tenant_id, upload_id).catch((error: unknown) => {
    throw error instanceof PalisadeError && error.code === 'NOT_FOUND' ? lost : error;
  });
}

/** Changes a run on a person's word, with the audit entry, in one transaction. */
async function changeRun(
  context: EngineContext,
  scanRunId: string,
  action: 'scan.cancel' | 'scan.retry',
  changeOf: (run: ScanRunRow, transaction: TransactionOf) => Partial<ScanRunRow> | Promise<Partial<ScanRunRow>>,
): Promise<ScanRunRow> {
  const { auth } = context;
  return context.transaction(async (transaction) => {
    const rows = context.collection(scanRuns);
    const run = await rows.findOne({ _id: scanRunRowId(auth.tenant_id, scanRunId) }, { transaction });
    if (!run) throw notFound('Scan run');
    const change = await changeOf(run, transaction);
    if (change.state === run.state) return run;
    const changed = await changeRunRow(context, { _id: run._id, state: run.state }, change, transaction);
    if (!changed) throw conflict('The run has changed meanwhile: try again');
    const { email: actor_email, role, ip_address } = auth;
    await context.audit(transaction, { action, actor_email, role, ip_address, target: `scan_run:${scanRunId}`, result: 'success' });
    return changed;
  });
}
