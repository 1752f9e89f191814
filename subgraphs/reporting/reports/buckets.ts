import { holds, SYSTEM_ACTOR } from '../../../kit/base/auth-context.js';
import { invalid, missingPermission } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { bucketsAmong, PUT_REPORT_FILE_JOB, type ReportFileTarget } from '../../../kit/read/report-files.js';
import { readModel } from '../../../kit/read/read-model.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { reportRowId, reports, type ReportRow, type RunFile } from './records.js';

/** Buckets of a report, and reports that are named at a time. */
const MOST_BUCKETS = 5;
const MOST_NAMED = 20;

/**
 * The integrations into whose buckets files of a report are to go, each once.
 * @throws PalisadeError FORBIDDEN for who may not say where things of the tenant are sent; VALIDATION_ERROR for what is no bucket of the tenant
 */
export async function assertBuckets(context: EngineContext, named: readonly string[]): Promise<string[]> {
  const ids = [...new Set(named)];
  if (ids.length === 0) return ids;
  if (!holds(context.auth, 'tenants:write')) throw missingPermission('tenants:write');
  if (ids.length > MOST_BUCKETS) throw invalid([{ path: 'buckets', message: `must name at most ${MOST_BUCKETS} integrations` }]);
  const known = await readModel(context, bucketsAmong, { ids });
  const wrong = ids.flatMap((id, n) => (known.includes(id) ? [] : [{ path: `buckets.${n}`, message: 'is no integration of the kind s3' }]));
  if (wrong.length > 0) throw invalid(wrong);
  return ids;
}

/** The files of a run that is over as they are while they go to the report's buckets. */
export const withPuts = (files: readonly RunFile[], buckets: readonly string[]): RunFile[] =>
  files.map((file) => ({
    ...file,
    puts: buckets.map((integration_id) => ({ integration_id, state: 'RUNNING' as const, key: null, reason: null, completed_at: null })),
  }));

/** Has the files of a run put into the buckets of its report, in the transaction that ends the run. */
export async function queuePuts(
  context: EngineContext,
  transaction: TransactionOf,
  row: ReportRow,
  files: readonly RunFile[],
): Promise<void> {
  const { services, auth } = context;
  for (const { export_id, puts = [] } of files)
    for (const { integration_id } of puts) {
      const target: ReportFileTarget = { report_id: row.report_id, export_id, integration_id };
      await services.jobs.add(transaction, auth, PUT_REPORT_FILE_JOB, target);
    }
}

/** What came of a file: the name that it has in the bucket, or why it is not there. */
export type PutOutcome = ReportFileTarget & { key: string | null; reason: string | null };

/** Notes in a report, and in the audit log, what came of a file that was to go into a bucket. A later run of the report has no place for it. */
export async function notePut(context: EngineContext, { report_id, export_id, integration_id, key, reason }: PutOutcome): Promise<boolean> {
  const rows = context.collection(reports);
  const _id = reportRowId(context.auth.tenant_id, report_id);
  const completed_at = context.services.clock.now();
  const result = key === null ? 'failure' : 'success';
  const ended = { state: key === null ? ('FAILED' as const) : ('COMPLETED' as const), key, reason, completed_at };
  await context.transaction(async (transaction) => {
    const row = await rows.findOne({ _id }, { transaction });
    const files = row?.last_run?.files.map((file) =>
      file.export_id === export_id
        ? { ...file, puts: (file.puts ?? []).map((put) => (put.integration_id === integration_id ? { ...put, ...ended } : put)) }
        : file,
    );
    if (files) await rows.update({ _id }, { $set: { last_run: { ...row!.last_run!, files } } }, { transaction });
    const detail = { report_id, integration_id, ...(key === null ? { reason } : { key }) };
    await context.audit(transaction, { action: 'export.put', actor_email: SYSTEM_ACTOR, target: `export:${export_id}`, result, detail });
  });
  return true;
}

/** Ids of the reports whose files go to an integration. */
export async function reportsTo(context: EngineContext, integrationId: string): Promise<string[]> {
  const found = await context.collection(reports).find({ buckets: integrationId }, { sort: { report_id: 1 }, limit: MOST_NAMED });
  return found.map(({ report_id }) => report_id);
}
