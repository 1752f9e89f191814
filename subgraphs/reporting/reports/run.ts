import { SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import { PalisadeError } from '../../../kit/base/errors.js';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { JobHandler, JobRun } from '../../../kit/engine/job.js';
import { OwnerLessened, ownerNow } from '../../../kit/read/owner.js';
import { workOffDue } from '../../../kit/work/due.js';
import { scheduledWork } from '../../../kit/work/schedule.js';
import { startExport } from '../exports/create.js';
import { prepareExport, type Asked } from '../exports/input.js';
import { reports, type ReportRow, type ReportRun } from './records.js';

export const REPORT_JOB = 'reporting.report';

/** Fires reports by their timetables: a firing is a job, which does the rest. */
export const fireReports: BackgroundTask = {
  name: 'reporting.reports',
  run: (services, stopping) =>
    workOffDue(
      services,
      scheduledWork<ReportRow>(services, {
        name: 'reports',
        collection: reports,
        async begin({ _id, owner }, firing, transaction) {
          await services.jobs.add(transaction, owner, REPORT_JOB, { report: _id, fired_at: firing.toISOString() });
          return {};
        },
        begun: () => services.jobs.wake(),
      }),
      stopping,
    ),
};

/** Starts the files of a firing with the rights that the report's owner has now. */
export const reportJob: JobHandler = {
  async run(job) {
    const row = await reportOf(job);
    if (!row) return;
    const { context } = job;
    const fired_at = new Date(String(job.payload['fired_at']));
    // a second try of a firing whose files were started, or one that a later firing has overtaken
    if (row.last_run && row.last_run.fired_at >= fired_at) return;
    try {
      const owner = await ownerNow(context, ['reports:write']);
      const asked: Asked[] = [];
      for (const filter of row.filters) asked.push(await prepareExport(owner, row.subject, filter, row.format));
      await context.transaction(async (transaction) => {
        const files: ReportRun['files'] = [];
        for (const one of asked) {
          const { _id } = await startExport(owner, transaction, one, row.report_id);
          files.push({ export_id: _id, state: 'RUNNING', reason: null });
        }
        const last_run: ReportRun = { fired_at, state: 'RUNNING', reason: null, files, completed_at: null };
        await context.collection(reports).update({ _id: row._id }, { $set: { last_run } }, { transaction });
      });
      context.services.jobs.wake();
    } catch (error) {
      if (error instanceof OwnerLessened) return pauseReport(context, row, fired_at, error.message);
      if (!(error instanceof PalisadeError) || !['FORBIDDEN', 'VALIDATION_ERROR'].includes(error.code)) throw error;
      const detail = error.extensions['detail'] as { message?: string }[] | null;
      const reason = [error.message, ...(detail ?? []).flatMap(({ message }) => message ?? [])].join(': ');
      if (error.code === 'FORBIDDEN') return pauseReport(context, row, fired_at, `Its owner may not read what it holds: ${reason}.`);
      await noteFailure(context, row, fired_at, reason);
    }
  },
  async giveUp(job) {
    const row = await reportOf(job);
    if (row) await noteFailure(job.context, row, new Date(String(job.payload['fired_at'])), 'It failed on our side and was given up.');
  },
};

const reportOf = ({ context, payload }: JobRun): Promise<ReportRow | null> =>
  context.collection(reports).findOne({ _id: String(payload['report']) });

const failed = (fired_at: Date, reason: string, now: Date): ReportRun => ({
  fired_at,
  state: 'FAILED',
  reason,
  files: [],
  completed_at: now,
});

async function noteFailure(context: EngineContext, row: ReportRow, fired_at: Date, reason: string): Promise<void> {
  const last_run = failed(fired_at, reason, context.services.clock.now());
  await context.collection(reports).update({ _id: row._id }, { $set: { last_run } });
}

/** A report whose owner is gone or lessened runs no more until somebody sets it again. */
export async function pauseReport(context: EngineContext, row: ReportRow, fired_at: Date, reason: string): Promise<void> {
  const paused = { paused_reason: reason, next_run_at: null, due_at: null };
  await context.transaction(async (transaction) => {
    const last_run =
      row.last_run?.fired_at.getTime() === fired_at.getTime() ? {} : { last_run: failed(fired_at, reason, context.services.clock.now()) };
    // set again meanwhile, it is another's report
    const same = { _id: row._id, updated_at: row.updated_at };
    const { matched } = await context.collection(reports).update(same, { $set: { ...paused, ...last_run } }, { transaction });
    if (matched === 0) return;
    const entry = { action: 'report.pause', actor_email: SYSTEM_ACTOR, target: `report:${row.report_id}`, result: 'success' } as const;
    await context.audit(transaction, { ...entry, detail: { reason } });
  });
}
