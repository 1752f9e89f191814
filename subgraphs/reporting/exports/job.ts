import type { EngineContext } from '../../../kit/engine/context.js';
import { JobCancelled, JobFailure, type JobHandler, type JobRun } from '../../../kit/engine/job.js';
import { createEngineContext } from '../../../kit/engine/create-context.js';
import { createTimeSlice } from '../../../kit/base/time-slice.js';
import { ownerNow } from '../../../kit/read/owner.js';
import { maskValue } from '../../../redaction/redact-fast.js';
import { formatOf } from '../formats/index.js';
import type { Contents, ExportFormat, Row } from '../formats/format.js';
import { noteReportRun } from '../reports/outcome.js';
import { subjects } from '../subjects/index.js';
import type { Owner } from '../subjects/subject.js';
import { PieceWriter, removePieces } from './pieces.js';
import { exportsMade, type ExportRow, type ExportState } from './records.js';

/** Milliseconds for which a file is kept. */
export const KEPT_MS = 7 * 86_400_000;

/**
 * Writes the file of an export. A second try removes what the first has written, and begins anew: a file never has a row twice. Its owner's rights are read
 * again at each batch (decision 58), and never more is read than what the export was allowed to hold.
 */
export const exportJob: JobHandler = {
  async run(job) {
    const { context } = job;
    const row = await rowOf(job);
    if (row?.state !== 'writing') return;
    try {
      await writeFile(job, row);
    } catch (error) {
      if (error instanceof JobCancelled) await endWithout(context, row, 'cancelled', null);
      else if (error instanceof JobFailure) await endWithout(context, row, 'failed', error.message);
      throw error;
    }
  },
  async giveUp(job) {
    const row = await rowOf(job);
    if (row?.state === 'writing') await endWithout(job.context, row, 'failed', 'It failed on our side and was given up.');
  },
};

const rowOf = ({ context, payload }: JobRun): Promise<ExportRow | null> =>
  context.collection(exportsMade).findOne({ _id: String(payload['export_id']) });

/** The owner as of now, with no right beyond those that the export was allowed: a right that came meanwhile adds nothing to the rows that follow. */
function ownerOf({ context, alive }: JobRun, { permissions }: ExportRow): Owner {
  return async () => {
    alive();
    const { auth, services, engine, signal } = await ownerNow(context, ['reports:write', ...permissions]);
    const held = auth.permissions.filter((permission) => permissions.includes(permission));
    return createEngineContext(services, engine, { ...auth, permissions: held }, signal);
  };
}

async function writeFile(job: JobRun, row: ExportRow): Promise<void> {
  const { context } = job;
  const { services, auth } = context;
  const format = formatOf(row.format);
  const tenant = services.database.tenant(auth.tenant_id);
  await removePieces(tenant, row._id);
  const progress = { rows: 0, notes: {} as Record<string, number> };
  const result = () => ({ export_id: row._id, rows: progress.rows });
  const writer = new PieceWriter(services.database, auth.tenant_id, row._id, format.isCompressed === true, (transaction, number) =>
    job.advance(transaction, { done: progress.rows, position: String(number), result: result() }),
  );
  const contents = await contentsOf(job, row, format, progress);
  for await (const part of format.write(contents)) await writer.write(part);
  await writer.end(async (transaction, sha256) => {
    const now = services.clock.now();
    const expires_at = new Date(now.getTime() + KEPT_MS);
    const { size, pieces } = writer;
    const done = { state: 'completed' as const, ...progress, size, sha256, pieces, completed_at: now, expires_at, due_at: expires_at };
    await context.collection(exportsMade).update({ _id: row._id, state: 'writing' }, { $set: done }, { transaction });
    const result_url = `/api/v1/exports/${row._id}/download`;
    await job.advance(transaction, { done: progress.rows, position: 'end', result: result(), result_url });
    if (row.report_id !== null) await noteReportRun(context, transaction, { ...row, ...done });
  });
}

async function contentsOf(
  job: JobRun,
  row: ExportRow,
  format: ExportFormat,
  progress: { rows: number; notes: Record<string, number> },
): Promise<Contents> {
  const subject = subjects[row.subject];
  const owner = ownerOf(job, row);
  async function* counted(): AsyncGenerator<readonly Row[]> {
    const slice = createTimeSlice();
    for await (const batch of subject.read(owner, row, format)) {
      // rows that were read ahead are worked off without any waiting
      await slice();
      progress.rows += batch.length;
      if (format.most !== undefined && progress.rows > format.most)
        throw new JobFailure(`There are more than ${format.most} rows by now, which a file of ${format.name} does not hold.`);
      // importers have masked what came in; this is for what they did not know, and for what other ways in brought
      yield batch.map((one) => maskValue(one));
    }
  }
  return {
    ...{ id: row._id, subject: row.subject, title: row.title, madeAt: row.created_at, columns: subject.columns },
    rows: counted(),
    framework: subject.facts ? await subject.facts(owner, row) : null,
    tell: (name, count) => void (progress.notes[name] = (progress.notes[name] ?? 0) + count),
  };
}

/** Ends an export that has no file: what was written of it is removed. */
async function endWithout(context: EngineContext, row: ExportRow, state: ExportState, reason: string | null): Promise<void> {
  const { services, auth } = context;
  await removePieces(services.database.tenant(auth.tenant_id), row._id);
  await context.transaction(async (transaction) => {
    const now = services.clock.now();
    const ended = { state, reason, completed_at: now, due_at: new Date(now.getTime() + KEPT_MS) };
    const { matched } = await context.collection(exportsMade).update({ _id: row._id, state: 'writing' }, { $set: ended }, { transaction });
    if (matched > 0 && row.report_id !== null) await noteReportRun(context, transaction, { ...row, ...ended });
  });
}
