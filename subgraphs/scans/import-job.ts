import { availableParallelism } from 'node:os';
import { openReport, type Report } from '../../importers/index.js';
import type { ImportOptions } from '../../importers/types.js';
import { INVENTORY_FORMATS } from '../../catalog/check-file.js';
import type { RunState } from '../../schema/model.js';
import { SYSTEM_ACTOR } from '../../kit/base/auth-context.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { JobHandler, JobRun } from '../../kit/engine/job.js';
import { PalisadeError } from '../../kit/base/errors.js';
import { createTimeSlice } from '../../kit/base/time-slice.js';
import { asTenant } from '../../kit/engine/create-context.js';
import { collectedBefore, collectReport } from './collect.js';
import { concludeRun } from './conclude.js';
import { Delivery } from './delivery.js';
import { Evaluator } from './evaluator.js';
import { matchArtifacts } from './match-artifacts.js';
import { maxBytesOf, reportSource } from './recognize.js';
import { faultOf, readItems, ReportFault, type DeliveredItem, type OpenReading, type ReadingInput } from './report-items.js';
import { Cancelled, watchForCancel, type CancelWatch } from './cancel-watch.js';
import { changeRunRow } from './events/write.js';
import { NOT_FINAL, scanRunRowId, scanRuns, type ScanRunRow } from './records.js';
import { everySoOften, progressTeller, TELL_EVERY } from './run-progress.js';
import { tellOutcome } from './run-outcome.js';
import { StageClock } from './stages.js';

const FAILED_ON_OUR_SIDE = 'the import failed on our side';

const runs = (context: EngineContext) => context.collection(scanRuns);
const rowOf = ({ context, payload }: JobRun) => scanRunRowId(context.auth.tenant_id, String(payload['scan_run_id']));

/** Reads a staged report from its first record to the last and delivers it; a second try starts again and doubles nothing. */
export const importReportJob: JobHandler = {
  isFenced: true,
  async run(job) {
    const begun = await begin(job);
    if (begun) {
      const watch = watchForCancel(job.context, begun);
      try {
        await importRun(job, begun, watch);
      } catch (error) {
        // a worker that stops, or has lost the run to another one, is no failed try
        if (!job.context.signal.aborted) await noteFailure(job.context, begun);
        throw error;
      } finally {
        watch.stop();
      }
    }
    if (job.isFollowed) await tellOutcome(job, rowOf(job));
  },

  async giveUp(job, reason) {
    const run = await runs(job.context).findOne({ _id: rowOf(job), ...NOT_FINAL });
    if (!run) return;
    const state = run.state === 'CANCELLING' ? 'CANCELLED' : 'FAILED';
    const engines = run.engines.map((engine) => ({ ...engine, state, error: 'the import was given up' }) as const);
    const atWork = run.stages?.findLast(({ started_at }) => started_at !== null);
    const stages = run.stages?.map((stage) => ({ ...stage, state, error: stage === atWork ? FAILED_ON_OUR_SIDE : null }) as const);
    const errors = [...run.errors, { position: 'run', reason: 'the import failed on our side and was given up; retry the run' }];
    job.context.services.logger.error({ scan_run_id: run.scan_run_id, reason }, 'an import was given up');
    const completed_at = job.context.services.clock.now();
    await complete(job.context, run, { state, engines, errors, ...(stages && { stages }), completed_at });
  },
};

async function importRun(job: JobRun, begun: ScanRunRow, watch: CancelWatch): Promise<void> {
  const { context } = job;
  let run = begun;
  let evaluator: Evaluator | null = null;
  const stages = new StageClock(context.services.clock, ['inventory', 'ingest', 'derive'], collectedBefore(begun));
  const tell = progressTeller(job, begun, stages, watch);
  let delivery = new Delivery(context, run, [], null, stages, tell.now);
  try {
    watch.check();
    run = await collectReport(job, run, stages, watch);
    const path = await pathOf(job, run);
    const { MAX_IMPORT_MB } = context.services.config;
    const report = await openReport(reportSource(path, MAX_IMPORT_MB), run.format);
    run = await noteObservedAt(context, run, report);
    const reading = { path, maxBytes: maxBytesOf(MAX_IMPORT_MB), format: run.format };
    const items = (options: ReadingInput['options']) => readItems({ ...reading, options }, threadOf(context), watch.signal);
    const isJudged = report.formats.some(({ name }) => INVENTORY_FORMATS.has(name));
    const surroundings = () => Evaluator.open(context, items(optionsOf(run)), run.scope, betweenItems(job, watch), watch.signal);
    if (isJudged) evaluator = await stages.during('evaluate', surroundings);
    delivery = new Delivery(context, run, report.formats, evaluator, stages, everySoOften(TELL_EVERY, tell.now));
    if (run.estate) await delivery.assets.tellEstate(run.estate);
    const delivered = () => deliver(items(optionsOf(run)), delivery, betweenItems(job, watch));
    await (isJudged ? stages.during('evaluate', delivered) : delivered());
    // from here on a cancel comes too late: what was read closes what it closes
    await tell.last(delivery.notes.progress);
    watch.check();
    await end(context, run, delivery, delivery.outcome());
  } catch (error) {
    await delivery.settle();
    const fault = faultOf(error);
    if (fault === null && !(error instanceof Cancelled)) throw error;
    // what was counted is taken in
    await delivery.flush(fault === null);
    if (fault === null) return end(context, run, delivery, 'CANCELLED');
    delivery.notes.broken('report', fault);
    await end(context, run, delivery, delivery.notes.progress.records > 0 ? 'PARTIAL' : 'FAILED');
  } finally {
    evaluator?.close();
  }
}

/** Marks the run as begun; null when there is nothing to do any more. Its start stays that of the first try: `at` of all it writes. */
async function begin(job: JobRun): Promise<ScanRunRow | null> {
  const { context } = job;
  const run = await runs(context).findOne({ _id: rowOf(job), ...NOT_FINAL });
  // what was cancelled while a worker that is no more was on it has its counts made final
  if (!run || run.state === 'CANCELLING') return run;
  const now = context.services.clock.now();
  const engines = run.engines.map((engine) => ({ ...engine, state: 'RUNNING' as const, attempts: engine.attempts + 1, heartbeat_at: now }));
  const attempts = (run.attempts ?? 0) + 1;
  const change = { state: 'RUNNING' as const, started_at: run.started_at ?? now, engines, attempts, errors: [] };
  const begun = await context.transaction((transaction) => changeRunRow(context, { _id: run._id, state: run.state }, change, transaction));
  return begun ?? begin(job);
}

/** Keeps what people are told of a try that failed: the log has the rest. */
async function noteFailure(context: EngineContext, { _id, attempts }: ScanRunRow): Promise<void> {
  const last_error = `${FAILED_ON_OUR_SIDE}, in try ${attempts ?? 1}`;
  // where the store is what failed, the next try tells
  await context
    .transaction((transaction) => runs(context).update({ _id, ...NOT_FINAL }, { $set: { last_error } }, { transaction }))
    .catch(() => undefined);
}

/** Where there is one core, a thread would only take turns with the process. */
const threadOf = ({ services, auth }: EngineContext): OpenReading | null =>
  availableParallelism() > 1 ? (input, signal) => services.threads.reports.open(auth.tenant_id, input, signal) : null;

async function pathOf({ context: { services, auth } }: JobRun, run: ScanRunRow): Promise<string> {
  const upload = await services.objects.open(auth.tenant_id, run.upload_id ?? '').catch((error: unknown) => {
    if (error instanceof PalisadeError && error.code === 'NOT_FOUND') throw new ReportFault('the report is no longer kept');
    throw error;
  });
  return upload.path;
}

/** When the report's facts were observed: as the caller says, else as the report does, else when the import was asked for; never later than that. */
async function noteObservedAt(context: EngineContext, run: ScanRunRow, report: Report): Promise<ScanRunRow> {
  if (run.observed_at) return run;
  const reported = await report.observedAt();
  const observed_at = reported && reported < run.created_at ? reported : run.created_at;
  await runs(context).update({ _id: run._id }, { $set: { observed_at } });
  return { ...run, observed_at };
}

/** Called for every item that is read: others take their turn, and a batch is written while the next one is read. */
function betweenItems(job: JobRun, watch: CancelWatch): () => Promise<void> | void {
  const slice = createTimeSlice();
  return () => {
    job.alive();
    watch.check();
    return slice();
  };
}

async function deliver(items: AsyncIterable<DeliveredItem>, delivery: Delivery, onItem: () => Promise<void> | void): Promise<void> {
  for await (const item of items) {
    await onItem();
    await delivery.take(item);
  }
  await delivery.flush();
}

/** What the importer is told beside the report. */
const optionsOf = ({ scope, default_provider, coverage }: ScanRunRow): ImportOptions => ({
  ...scope,
  ...(coverage && { account_id: coverage.account_id }),
  ...(default_provider && { provider: default_provider }),
});

/** Makes the run final: closes what a completed run has closed, and counts. */
async function end(context: EngineContext, run: ScanRunRow, delivery: Delivery, state: RunState): Promise<void> {
  const isPartial = state === 'PARTIAL' && delivery.notes.lacksAnswersAlone;
  if (state === 'COMPLETED' || isPartial) await delivery.close(isPartial);
  const at = { scan_run_id: run.scan_run_id, at: context.services.clock.now() };
  const { stages, assets, events, notes } = delivery;
  const tenant = asTenant(context);
  const { ingest } = context.services;
  // a run that did not come to its end, or got no answer in more places than it kept or knows, does not tell where it got one
  const asked = run.coverage !== undefined && (state === 'COMPLETED' || isPartial) && !notes.hasMoreGaps;
  if (asked || notes.gaps.length > 0)
    await ingest.notCovered(tenant, at, { account_id: run.account_id, ...run.coverage, asked }, notes.gaps);
  if (assets.describes) await stages.during('derive', () => ingest.derive(tenant, at));
  if (events.tellsUse) await stages.during('derive', () => ingest.deriveFromEvents(tenant, at));
  await stages.during('derive', () => matchArtifacts(tenant, at, delivery));
  await stages.during('derive', () => concludeRun(tenant, at, assets.describes));
  const { counts, total_findings } = await delivery.count();
  const now = context.services.clock.now();
  const engines = delivery.engines.map((engine) => ({
    engine,
    state,
    attempts: run.engines[0]?.attempts ?? 1,
    heartbeat_at: now,
    error: null,
  }));
  await delivery.posture?.follow();
  await complete(context, run, {
    engines,
    stages: stages.ended(state),
    counts,
    errors: delivery.notes.errors,
    provider: delivery.provider,
    total_findings,
    state,
    completed_at: now,
  });
}

/** Makes a run final and says so in the audit log, unless it has become final meanwhile. */
async function complete(context: EngineContext, run: ScanRunRow, change: Partial<ScanRunRow> & Pick<ScanRunRow, 'state'>): Promise<void> {
  await context.transaction(async (transaction) => {
    const ended = await changeRunRow(context, { _id: run._id, ...NOT_FINAL }, change, transaction);
    // of a cancelled run, `scan.cancel` has told already
    if (!ended || change.state === 'CANCELLED') return;
    const { state, counts, total_findings, completed_at } = ended;
    if (run.coverage && completed_at)
      await context.services.ingest.accountScans.scanned(context, run.coverage.account_id, completed_at, transaction);
    await context.audit(transaction, {
      action: 'scan.complete',
      actor_email: SYSTEM_ACTOR,
      target: `scan_run:${run.scan_run_id}`,
      result: state === 'FAILED' ? 'failure' : 'success',
      detail: { state, format: run.format, counts, total_findings },
    });
  });
}
