import { permissionsOf } from '../../../schema/permissions.js';
import { publicOrigin } from '../../../kit/base/public-origin.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { JobHandler } from '../../../kit/engine/job.js';
import { OwnerLessened, ownerNow } from '../../../kit/read/owner.js';
import { readMembers } from '../../../kit/read/members.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { queueMail, type Mail } from '../../../kit/work/mail.js';
import { exportsMade, type ExportRow } from '../exports/records.js';
import { formatOf } from '../formats/index.js';
import { queuePuts, withPuts } from './buckets.js';
import { reportRowId, reports, type ReportRow, type ReportRun, type RunFile } from './records.js';
import { pauseReport } from './run.js';

export const REPORT_ENDED_JOB = 'reporting.report_ended';

/** Notes, in the transaction that ends a file of a report, that it has ended: what follows is a job. */
export async function noteReportRun(context: EngineContext, transaction: TransactionOf, { _id, report_id }: ExportRow): Promise<void> {
  const { services, auth } = context;
  await services.jobs.add(transaction, auth, REPORT_ENDED_JOB, { report: reportRowId(auth.tenant_id, report_id!), export_id: _id });
  services.jobs.wakeup.wakeAfter(transaction);
}

const STATES: Readonly<Record<ExportRow['state'], RunFile['state']>> = {
  writing: 'RUNNING',
  completed: 'COMPLETED',
  expired: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
};

/** Notes in a report how the files of its last run stand; once all have ended it mails them, and has them put into its buckets. */
export const reportEndedJob: JobHandler = {
  async run({ context, payload }) {
    const rows = context.collection(reports);
    const row = await rows.findOne({ _id: String(payload['report']) });
    const run = row?.last_run;
    if (!row || run?.state !== 'RUNNING' || !run.files.some(({ export_id }) => export_id === payload['export_id'])) return;
    const found = await context.collection(exportsMade).find({ _id: { $in: run.files.map(({ export_id }) => export_id) } });
    const files = run.files.map(({ export_id }): RunFile => {
      const file = found.find(({ _id }) => _id === export_id);
      return { export_id, state: file ? STATES[file.state] : 'FAILED', reason: file?.reason ?? null };
    });
    const isOver = files.every(({ state }) => state !== 'RUNNING');
    const isWhole = files.every(({ state }) => state === 'COMPLETED');
    const now = context.services.clock.now();
    const sent = isOver && isWhole ? withPuts(files, row.buckets ?? []) : files;
    const ended: ReportRun = { ...run, files: sent, ...(isOver && { state: isWhole ? 'COMPLETED' : 'FAILED', completed_at: now }) };
    const mails = isOver && isWhole ? await mailsOf(context, row, found) : [];
    await context.transaction(async (transaction) => {
      // the jobs of two files may meet here: one of them ends the run
      const same = { _id: row._id, 'last_run.fired_at': run.fired_at, 'last_run.state': 'RUNNING' };
      const { matched } = await rows.update(same, { $set: { last_run: ended } }, { transaction });
      if (matched === 0) return;
      for (const mail of mails) await queueMail(context.services, transaction, context.auth, mail);
      await queuePuts(context, transaction, row, sent);
    });
    if (isOver) context.services.jobs.wake();
    if (isOver && !isWhole) await pauseWithoutRights(context, { ...row, last_run: ended }, found);
  },
  async giveUp({ context, payload }, reason) {
    context.services.logger.error(
      { tenant: context.auth.tenant_id, report: payload['report'], reason },
      'the end of a report was not noted',
    );
  },
};

/** A run that failed because its owner may do less than before pauses the report. */
async function pauseWithoutRights(context: EngineContext, row: ReportRow, files: readonly ExportRow[]): Promise<void> {
  const needed = new Set(files.flatMap(({ permissions }) => permissions));
  try {
    await ownerNow(context, ['reports:write', ...needed]);
  } catch (error) {
    if (!(error instanceof OwnerLessened)) throw error;
    await pauseReport(context, row, row.last_run!.fired_at, error.message);
  }
}

/** A mail to each recipient who is a member still, and may read all that the files hold (decision 58). */
async function mailsOf(context: EngineContext, { name, recipients }: ReportRow, files: readonly ExportRow[]): Promise<Mail[]> {
  const { services } = context;
  if (!services.mailer.configured || recipients.length === 0) return [];
  const members = await readMembers(
    context,
    recipients.map(({ user_id }) => user_id),
  );
  const needed = [...new Set<string>(['reports:read', ...files.flatMap(({ permissions }) => permissions)])];
  const origin = publicOrigin(services.config);
  const links = files.map(({ _id, title, format, rows, expires_at }) =>
    [
      `${title}, ${rows} rows, ${formatOf(format).label}`,
      `until ${expires_at!.toISOString()}:`,
      `${origin}/api/v1/exports/${_id}/download`,
    ].join('\n'),
  );
  const line = name.replace(/\s+/g, ' ');
  return members
    .filter(({ role }) => needed.every((permission) => (permissionsOf(role) as readonly string[]).includes(permission)))
    .map(({ email }) => ({
      to: email,
      subject: 'Palisade: a report is ready',
      text: [`The report "${line}" is ready. Sign in and open:`, ...links].join('\n\n'),
    }));
}
