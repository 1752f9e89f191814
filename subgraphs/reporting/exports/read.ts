import { gone, notFound } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import { jobView } from '../../../kit/work/followed-jobs.js';
import { jobs } from '../../../kit/work/jobs.js';
import { formatOf } from '../formats/index.js';
import { assertHolds } from '../subjects/subject.js';
import { readPiece } from './pieces.js';
import { exportsMade, type ExportRow } from './records.js';

const STATES = { completed: 'COMPLETED', failed: 'FAILED', cancelled: 'CANCELLED', expired: 'EXPIRED' } as const;

/** How an export stands: while it is written, as its job does. */
async function stateOf(context: EngineContext, { _id, state }: ExportRow): Promise<string> {
  if (state !== 'writing') return STATES[state];
  const job = await context.collection(jobs).findOne({ _id });
  return job ? jobView(job).state : 'FAILED';
}

/** An export as whoever may read all that is in it sees it. @throws PalisadeError FORBIDDEN */
export async function findExport(context: EngineContext, id: string) {
  const row = await context.collection(exportsMade).findOne({ _id: id });
  if (!row) return null;
  assertHolds(context, row.permissions);
  const { tenant_id: _, owner_id: _owner, permissions: _permissions, ...shown } = row;
  const segments = context.services.findingEngines.filter(({ engine }) => row.engines.includes(engine));
  return {
    ...shown,
    export_id: id,
    state: await stateOf(context, row),
    engines: segments.map(({ viewSegment }) => viewSegment),
    rows: row.state === 'completed' || row.state === 'expired' ? row.rows : null,
    size: row.sha256 === null ? null : row.size,
    download_url: row.state === 'completed' ? `/api/v1/exports/${id}/download` : null,
  };
}

/** An export whose file is there. @throws PalisadeError FORBIDDEN for who may not read all of it; GONE; NOT_FOUND while there is no file */
async function fileOf(context: EngineContext, id: string): Promise<ExportRow | null> {
  const row = await context.collection(exportsMade).findOne({ _id: id });
  if (!row) return null;
  assertHolds(context, row.permissions);
  if (row.state === 'expired' || (row.expires_at !== null && row.expires_at <= context.services.clock.now()))
    throw gone('The file has expired; export it again');
  if (row.state !== 'completed') throw notFound('File of the export');
  return row;
}

/** The facts of a file, for the engine that puts it elsewhere. @throws PalisadeError as `fileOf` */
export async function factsOfFile(context: EngineContext, id: string) {
  const row = await fileOf(context, id);
  return row && factsOf(row);
}

function factsOf({ _id, format, subject, created_at, size, sha256, pieces }: ExportRow) {
  const { media_type, extension } = formatOf(format);
  const day = created_at.toISOString().slice(0, 10);
  return { file_name: `${subject.replaceAll('_', '-')}-${day}-${_id.slice(0, 8)}.${extension}`, media_type, size, sha256, pieces };
}

/** What a download begins with, noted in the audit log. @throws PalisadeError as `fileOf` */
export async function beginDownload(context: EngineContext, id: string) {
  const row = await fileOf(context, id);
  if (!row) return null;
  const { auth } = context;
  const detail = { subject: row.subject, format: row.format, rows: row.rows, sha256: row.sha256 };
  const entry = { action: 'export.download', actor_email: auth.email, target: `export:${id}`, result: 'success', detail } as const;
  await context.transaction((transaction) => context.audit(transaction, entry));
  return factsOf(row);
}

/** One piece of a file, in base64. @throws PalisadeError as `fileOf` */
export async function pieceOf(context: EngineContext, id: string, number: number): Promise<string | null> {
  const row = await fileOf(context, id);
  if (!row) return null;
  const bytes = await readPiece(context.services.database.tenant(context.auth.tenant_id), id, number);
  return bytes && Buffer.from(bytes).toString('base64');
}
