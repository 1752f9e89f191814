import { randomUUID } from 'node:crypto';
import { conflict } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { NEVER_LEASED } from '../../../kit/work/due.js';
import { jobView } from '../../../kit/work/followed-jobs.js';
import type { JobRow } from '../../../kit/work/jobs.js';
import { prepareExport, subjectOf, type Asked, type ExportInput } from './input.js';
import { exportsMade } from './records.js';

export const EXPORT_JOB = 'reporting.export';

/** Files of a tenant that wait or are written at a time. */
const MOST_WAITING = 20;
/** Milliseconds after which it is looked for files that nobody writes any more. */
const LOOK_AFTER = 3_600_000;

/** Asks for a file. @throws PalisadeError VALIDATION_ERROR; FORBIDDEN for what the caller may not read; CONFLICT while many wait */
export async function createExport(context: EngineContext, input: ExportInput) {
  const { subject, filter } = subjectOf(input);
  const asked = await prepareExport(context, subject, filter, input.format);
  if ((await context.collection(exportsMade).count({ state: 'writing' })) >= MOST_WAITING)
    throw conflict(`${MOST_WAITING} exports of the tenant wait already`);
  const job = await context.transaction((transaction) => startExport(context, transaction, asked, null));
  context.services.jobs.wake();
  return jobView(job);
}

/**
 * Starts a file within `transaction`, with its audit entry. Call `jobs.wake` after the commit.
 * @param reportId the report that it is for
 */
export async function startExport(
  context: EngineContext,
  transaction: TransactionOf,
  { subject, format, prepared }: Asked,
  reportId: string | null,
): Promise<JobRow> {
  const { auth, services } = context;
  const { filter, permissions, engines, total, title } = prepared;
  const id = randomUUID();
  const now = services.clock.now();
  const job = await services.jobs.addFollowed(transaction, auth, EXPORT_JOB, { export_id: id }, { readers: permissions, total, id });
  await context.collection(exportsMade).insert(
    {
      _id: id,
      tenant_id: auth.tenant_id,
      ...{ subject, format: format.name, filter, engines: [...engines], permissions: [...permissions], title },
      ...{ owner_id: auth.user_id, created_by: auth.email, report_id: reportId },
      ...{ state: 'writing', reason: null, rows: 0, size: 0, sha256: null, pieces: 0, notes: {} },
      ...{ created_at: now, completed_at: null, expires_at: null },
      ...NEVER_LEASED,
      due_at: new Date(services.storeClock.now().getTime() + LOOK_AFTER),
    },
    { transaction },
  );
  const detail = { subject, format: format.name, filter, engines, ...(reportId !== null && { report_id: reportId }) };
  const entry = { actor_email: auth.email, target: `export:${id}`, result: 'success', detail } as const;
  await context.audit(transaction, { ...entry, action: subject === 'framework' ? 'score.export' : 'export.create' });
  return job;
}
