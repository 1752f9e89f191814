import { setImmediate as breathe } from 'node:timers/promises';
import { importers, NotOfFormat, ReportTooLarge } from '../../importers/index.js';
import type { Importer, ReportSource } from '../../importers/types.js';
import { INVENTORY_FORMATS } from '../../catalog/check-file.js';
import type { RunState } from '../../schema/model.js';
import { SYSTEM_ACTOR } from '../../kit/base/auth-context.js';
import type { EngineContext } from '../../kit/engine/context.js';
import type { JobHandler, JobRun } from '../../kit/engine/job.js';
import { Delivery, type RunProgress } from './delivery.js';
import { PostureEvaluation } from './evaluation.js';
import { reportSource } from './recognize.js';
import { FINAL_STATES, scanRunRowId, scanRuns, type ScanRunRow } from './records.js';

export const IMPORT_REPORT = 'scans.import_report';

/** Items read without a look at the network. */
const BREATHE_EVERY = 64;

/** The run was cancelled by a person while its worker was on it. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

const runs = (context: EngineContext) => context.collection(scanRuns);
const rowOf = ({ context, payload }: JobRun) => scanRunRowId(context.auth.tenant_id, String(payload['scan_run_id']));
const notFinal = { state: { $nin: FINAL_STATES } };

/** Reads a staged report from its first record to the last and delivers it; a second try starts again and doubles nothing. */
export const importReportJob: JobHandler = {
  async run(job) {
    const { context } = job;
    const run = await begin(job);
    if (!run) return;
    const importer = importers.find(({ format }) => format === run.format)!;
    let delivery = new Delivery(context, run, importer, null, (progress) => report(job, run, progress));
    try {
      const source = await sourceOf(job, run);
      if (INVENTORY_FORMATS.has(importer.format)) {
        const tenantRules = await context.services.ingest.tenantRules(context);
        const evaluation = await PostureEvaluation.open(importer, source, run.scope, tenantRules, breather(job));
        delivery = new Delivery(context, run, importer, evaluation, (progress) => report(job, run, progress));
      }
      await read(job, run, importer, source, delivery);
      await end(context, run, delivery, delivery.outcome());
    } catch (error) {
      if (error instanceof Cancelled) await end(context, run, delivery, 'CANCELLED');
      else if (error instanceof NotOfFormat || error instanceof ReportTooLarge) {
        await delivery.flush();
        delivery.broken('report', error.message);
        await end(context, run, delivery, delivery.progress.records > 0 ? 'PARTIAL' : 'FAILED');
      } else throw error;
    }
  },

  async giveUp(job, reason) {
    const run = await runs(job.context).findOne({ _id: rowOf(job), ...notFinal });
    if (!run) return;
    const engines = run.engines.map((engine) => ({ ...engine, state: 'FAILED' as const, error: 'the import was given up' }));
    const errors = [
      ...run.errors,
      { position: 'run', reason: 'the import failed on our side and was given up; import the report again under a new scan_run_id' },
    ];
    job.context.services.logger.error({ scan_run_id: run.scan_run_id, reason }, 'an import was given up');
    await complete(job.context, run, { state: 'FAILED', engines, errors, completed_at: job.context.services.clock.now() });
    await job.context.services.objects.remove(job.context.auth.tenant_id, run.upload_id);
  },
};

/** Marks the run as begun; null when there is nothing to do any more. Its start stays that of the first try: `at` of all it writes. */
async function begin(job: JobRun): Promise<ScanRunRow | null> {
  const { context } = job;
  const run = await runs(context).findOne({ _id: rowOf(job), ...notFinal });
  if (!run) return null;
  const now = context.services.clock.now();
  const engines = run.engines.map((engine) => ({ ...engine, state: 'RUNNING' as const, attempts: engine.attempts + 1, heartbeat_at: now }));
  const change = { state: 'RUNNING' as const, started_at: run.started_at ?? now, engines, errors: [] };
  const { matched } = await runs(context).update({ _id: run._id, ...notFinal }, { $set: change });
  return matched ? { ...run, ...change } : null;
}

async function sourceOf({ context: { services, auth } }: JobRun, run: ScanRunRow): Promise<ReportSource> {
  const upload = await services.objects.open(auth.tenant_id, run.upload_id);
  return reportSource(upload.path, services.config.MAX_IMPORT_MB);
}

/** Called for every item that is read: answers of the store are taken between two, so that a batch is written while the next one is read. */
function breather(job: JobRun): () => Promise<void> | void {
  let taken = 0;
  return () => {
    job.alive();
    return ++taken % BREATHE_EVERY === 0 ? breathe() : undefined;
  };
}

async function read(job: JobRun, run: ScanRunRow, importer: Importer, source: ReportSource, delivery: Delivery): Promise<void> {
  const onItem = breather(job);
  for await (const item of importer.read(source, run.scope)) {
    await onItem();
    await delivery.take(item);
  }
  await delivery.flush();
}

/** Stores how far the run is. @throws Cancelled when a person has stopped it */
async function report({ context }: JobRun, run: ScanRunRow, { records, skipped }: RunProgress): Promise<void> {
  const now = context.services.clock.now();
  const change = {
    'counts.records': records,
    'counts.skipped': skipped,
    engines: run.engines.map((engine) => ({ ...engine, heartbeat_at: now })),
  };
  const { matched } = await runs(context).update({ _id: run._id, state: 'RUNNING' }, { $set: change });
  if (matched === 0) throw new Cancelled();
}

/** Makes the run final: closes what a completed run has closed, counts, and lets go of the report. */
async function end(context: EngineContext, run: ScanRunRow, delivery: Delivery, state: RunState): Promise<void> {
  if (state === 'COMPLETED') await delivery.close();
  if (delivery.evaluates) await context.services.ingest.derive(context, { scan_run_id: run.scan_run_id, at: context.services.clock.now() });
  const { counts, total_findings } = await delivery.count();
  const now = context.services.clock.now();
  const engines = delivery.engines.map((engine) => ({
    engine,
    state,
    attempts: run.engines[0]?.attempts ?? 1,
    heartbeat_at: now,
    error: null,
  }));
  const { errors, provider } = delivery;
  const result = { engines, counts, errors, provider, total_findings };
  // a cancelled run keeps the state and the moment that its canceller gave it
  if (state === 'CANCELLED') await runs(context).update({ _id: run._id }, { $set: result });
  else await complete(context, run, { ...result, state, completed_at: now });
  await context.services.objects.remove(context.auth.tenant_id, run.upload_id);
}

/** Makes a run final and says so in the audit log, unless it has become final meanwhile. */
async function complete(context: EngineContext, run: ScanRunRow, change: Partial<ScanRunRow> & Pick<ScanRunRow, 'state'>): Promise<void> {
  await context.transaction(async (transaction) => {
    const { matched } = await runs(context).update({ _id: run._id, ...notFinal }, { $set: change }, { transaction });
    if (matched === 0) return;
    const { state, counts, total_findings } = { ...run, ...change };
    await context.audit(transaction, {
      action: 'scan.complete',
      actor_email: SYSTEM_ACTOR,
      target: `scan_run:${run.scan_run_id}`,
      result: state === 'FAILED' ? 'failure' : 'success',
      detail: { state, format: run.format, counts, total_findings },
    });
  });
}
