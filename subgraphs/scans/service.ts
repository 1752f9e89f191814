import { randomUUID } from 'node:crypto';
import { importers } from '../../importers/index.js';
import type { RunState } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { badRequest, conflict, invalid, notFound } from '../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import { IMPORT_REPORT } from './import-job.js';
import { FINAL_STATES, scanRunRowId, scanRuns, type RunScope, type ScanRunRow } from './records.js';
import { recognize } from './recognize.js';

export interface ImportArguments extends RunScope {
  upload_id: string;
  scan_run_id?: string | null;
  format?: string | null;
}

const SCAN_RUN_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const DUPLICATE_KEY = 11000;

export const listImportFormats = () => importers.map(({ format, title, engines, detection }) => ({ format, title, engines, detection }));

export async function listScanRuns(context: EngineContext, args: PageArguments & { state?: RunState[] | null; format?: string[] | null }) {
  const window = pageWindow(args);
  const condition = { ...(args.state && { state: { $in: args.state } }), ...(args.format && { format: { $in: args.format } }) };
  const rows = context.collection(scanRuns);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { created_at: -1, scan_run_id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items, total, window);
}

export function findScanRun(context: EngineContext, scanRunId: string): Promise<ScanRunRow | null> {
  return context.collection(scanRuns).findOne({ _id: scanRunRowId(context.auth.tenant_id, scanRunId) });
}

/**
 * Starts the import of a staged report: run, job and audit entry in one transaction.
 * @throws PalisadeError BAD_REQUEST for a malformed id or unknown format, VALIDATION_ERROR when the report is not of the format
 */
export async function importReport(context: EngineContext, args: ImportArguments): Promise<ScanRunRow> {
  const { auth, services } = context;
  const scan_run_id = args.scan_run_id ?? randomUUID();
  if (!SCAN_RUN_ID.test(scan_run_id)) throw badRequest('scan_run_id must be 1 to 128 of A-Z a-z 0-9 . _ : -');
  if (args.format && !importers.some(({ format }) => format === args.format))
    throw badRequest(`format must be one of ${importers.map(({ format }) => format).join(', ')}`);
  const first = await findScanRun(context, scan_run_id);
  if (first) return repeated(context, first, args.upload_id);

  const upload = await services.objects.open(auth.tenant_id, args.upload_id);
  const recognized = await recognize(upload.path, args.format ?? null, services.config.MAX_IMPORT_MB);
  if ('reason' in recognized) throw invalid([{ path: 'report', message: recognized.reason }], 'The report cannot be imported');

  const run = newRun(context, scan_run_id, recognized.format, args);
  try {
    await context.transaction(async (transaction) => {
      await context.collection(scanRuns).insert(run, { transaction });
      await services.jobs.add(transaction, auth, IMPORT_REPORT, { scan_run_id });
      const { email: actor_email, role, ip_address } = auth;
      await context.audit(transaction, {
        action: 'scan.trigger',
        actor_email,
        role,
        ip_address,
        target: `scan_run:${scan_run_id}`,
        result: 'success',
        detail: { trigger: run.trigger, format: run.format },
      });
    });
  } catch (error) {
    // another client came first with the same id
    if ((error as { code?: number }).code !== DUPLICATE_KEY) throw error;
    return repeated(context, (await findScanRun(context, scan_run_id))!, args.upload_id);
  }
  services.jobs.wake();
  return run;
}

/** Stops a run that is not final; its worker notices between two batches. Null when the tenant has none of this id. */
export async function cancelScanRun(context: EngineContext, scanRunId: string): Promise<ScanRunRow> {
  const { auth } = context;
  const completed_at = context.services.clock.now();
  return context.transaction(async (transaction) => {
    const rows = context.collection(scanRuns);
    const run = await rows.findOne({ _id: scanRunRowId(auth.tenant_id, scanRunId) }, { transaction });
    if (!run) throw notFound('Scan run');
    if (FINAL_STATES.includes(run.state)) throw conflict(`The run is ${run.state} already`);
    const change = { state: 'CANCELLED', completed_at } as const;
    await rows.update({ _id: run._id }, { $set: change }, { transaction });
    await context.audit(transaction, {
      action: 'scan.cancel',
      actor_email: auth.email,
      role: auth.role,
      ip_address: auth.ip_address,
      target: `scan_run:${scanRunId}`,
      result: 'success',
    });
    return { ...run, ...change };
  });
}

/** The first run under an id, for a call that came again; its upload is not needed. */
async function repeated({ auth, services }: EngineContext, run: ScanRunRow, uploadId: string): Promise<ScanRunRow> {
  await services.objects.remove(auth.tenant_id, uploadId);
  return run;
}

function newRun(
  { auth, services }: EngineContext,
  scan_run_id: string,
  format: string,
  { account_id, region, artifact, upload_id }: ImportArguments,
): ScanRunRow {
  const { engines } = importers.find((importer) => importer.format === format)!;
  const owners = [...new Set(engines.map((engine) => services.ingest.ownerOf(engine)))];
  const scope = { ...(account_id && { account_id }), ...(region && { region }), ...(artifact && { artifact }) };
  return {
    _id: scanRunRowId(auth.tenant_id, scan_run_id),
    tenant_id: auth.tenant_id,
    scan_run_id,
    state: 'QUEUED',
    trigger: 'import',
    format,
    provider: null,
    account_id: account_id ?? null,
    scope,
    engines: owners.map((engine) => ({ engine, state: 'QUEUED', attempts: 0, heartbeat_at: null, error: null })),
    counts: { records: 0, skipped: 0, new: 0, updated: 0, resolved: 0, regressed: 0 },
    errors: [],
    total_findings: null,
    upload_id,
    created_at: services.clock.now(),
    started_at: null,
    completed_at: null,
  };
}
