import { createHash, randomUUID } from 'node:crypto';
import { findImporter, importers, type Report, type ReportFormat } from '../../importers/index.js';
import type { Provider, RunState } from '../../schema/model.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { badRequest, conflict, invalid } from '../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import type { JobRow } from '../../kit/work/jobs.js';
import { assertOfHost } from './report-host.js';
import { recognize } from './recognize.js';
import { writeRunEvent } from './events/write.js';
import { IMPORT_REPORT, scanRunRowId, scanRuns, type RunScope, type ScanRunRow } from './records.js';
import { assertRoom, countUpload } from './room.js';
import { waitingStages } from './stages.js';

/** What a caller says of a report; null where it says nothing. */
export interface ImportParameters {
  format?: string | null;
  provider?: Provider | null;
  account_id?: string | null;
  region?: string | null;
  artifact?: string | null;
  observed_at?: Date | null;
  host?: string | null;
}

export interface ImportArguments extends ImportParameters {
  upload_id: string;
  scan_run_id?: string | null;
}

export const SCAN_RUN_ID = /^[A-Za-z0-9._:-]{1,128}$/;
export const DUPLICATE_KEY = 11000;
/** How far the clock of a caller may be ahead of ours, in milliseconds. */
export const CLOCK_SKEW = 5 * 60_000;

export const listImportFormats = () =>
  importers.map(({ name, label, engines, detection, produce }) => ({ format: name, title: label, engines, detection, produce }));

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
 * Starts the import of a staged report: run, job and audit entry in one transaction. The same id, bytes and parameters again give the
 * first run.
 * @throws PalisadeError BAD_REQUEST for a malformed id or unknown format, CONFLICT when the id is that of another import,
 *   VALIDATION_ERROR when the report is not of the format or a parameter breaks its rule, or the plan has no room
 *   for what it may bring
 */
export async function importReport(context: EngineContext, args: ImportArguments): Promise<ScanRunRow> {
  return (await startImport(context, args)).run;
}

/** How an import is started beside what its caller says. */
interface ImportWays {
  /** The only formats that the report may have, and what it is then called. */
  readonly only?: { readonly formats: readonly string[]; readonly what: string };
  /** The permissions that a reader of its job must hold, where people follow it. */
  readonly readers?: readonly string[];
}

/**
 * As `importReport`, in further ways.
 * @returns the run, and its job where this call has made one
 */
export async function startImport(
  context: EngineContext,
  args: ImportArguments,
  { only, readers }: ImportWays = {},
): Promise<{ run: ScanRunRow; job: JobRow | null }> {
  const { auth, services } = context;
  const scan_run_id = args.scan_run_id ?? randomUUID();
  if (!SCAN_RUN_ID.test(scan_run_id)) throw badRequest('scan_run_id must be 1 to 128 of A-Z a-z 0-9 . _ : -');
  if (args.format && !findImporter(args.format)) throw badRequest(`format must be one of ${importers.map(({ name }) => name).join(', ')}`);
  if (args.observed_at && args.observed_at.getTime() > services.clock.now().getTime() + CLOCK_SKEW)
    throw invalid([{ path: 'observed_at', message: 'lies in the future' }]);
  const upload = await services.objects.open(auth.tenant_id, args.upload_id);
  const first = await findScanRun(context, scan_run_id);
  if (first) return { run: await repeated(context, first, args, upload.sha256), job: null };
  await assertRoom(context);

  const recognized = await recognize(upload.path, args.format ?? null, services.config.MAX_IMPORT_MB);
  if ('reason' in recognized) throw invalid([{ path: 'report', message: recognized.reason }], 'The report cannot be imported');
  const default_provider = args.provider ?? (await services.ingest.importSettings(services, auth.tenant_id)).default_provider;
  const { report } = recognized;
  if (args.host) await assertOfHost(report, args.host);
  if (only && !report.formats.every(({ name }) => only.formats.includes(name)))
    throw invalid([{ path: 'report', message: `is no ${only.what}, but ${report.format}` }], 'The report cannot be imported');
  if (default_provider === null && report.formats.some(({ outsideClouds }) => outsideClouds))
    throw invalid([{ path: 'provider', message: 'is required: the report may name what runs in no cloud, and the tenant has no default' }]);

  const run = newRun(context, scan_run_id, args, report, upload.sha256, default_provider);
  let job: JobRow | null = null;
  try {
    await context.transaction(async (transaction) => {
      await context.collection(scanRuns).insert(run, { transaction });
      await writeRunEvent(context, run, 'state', transaction);
      await countUpload(context, transaction, upload.size);
      if (readers) job = await services.jobs.addFollowed(transaction, auth, IMPORT_REPORT, { scan_run_id }, { readers, total: null });
      else await services.jobs.add(transaction, auth, IMPORT_REPORT, { scan_run_id });
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
    return { run: await repeated(context, (await findScanRun(context, scan_run_id))!, args, upload.sha256), job: null };
  }
  services.jobs.wake();
  return { run, job };
}

/**
 * The first run under an id, for the same call that came again; its upload is not needed.
 * @throws PalisadeError CONFLICT when bytes or parameters differ
 */
async function repeated(
  { auth, services }: EngineContext,
  run: ScanRunRow,
  args: ImportArguments,
  sha256: string | null,
): Promise<ScanRunRow> {
  // a run that was made before digests were kept has none to compare
  const otherBytes = Boolean(run.report_sha256 && sha256 && run.report_sha256 !== sha256);
  const otherRequest = Boolean(run.request_sha256 && run.request_sha256 !== requestDigest({ ...args, format: args.format ?? run.format }));
  if (otherBytes || otherRequest) {
    const { scan_run_id, state, created_at } = run;
    const what = otherBytes ? 'with another report' : 'with other parameters';
    throw conflict(`scan_run_id names a run of ${created_at.toISOString()} ${what}: ${scan_run_id}`, { scan_run_id, state, created_at });
  }
  if (run.upload_id !== args.upload_id) await services.objects.remove(auth.tenant_id, args.upload_id);
  return run;
}

/** A digest of what a caller says of a report. @param parameters with the format that the report was found to have */
function requestDigest({ format, provider, account_id, region, artifact, observed_at, host }: ImportParameters): string {
  // the host stands there only where one is named: runs that were made before it could be keep their digest
  const values = [format, provider, account_id, region, artifact, observed_at?.toISOString()].map((value) => value || null);
  if (host) values.push(host);
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}

/** Runs are compared with those of the same format and scope. */
export const scopeDigest = (format: string, { account_id, region, artifact }: RunScope): string =>
  createHash('sha256')
    .update(JSON.stringify([format, account_id ?? null, region ?? null, artifact ?? null]))
    .digest('hex')
    .slice(0, 32);

const enginesOf = (formats: readonly ReportFormat[]): string[] => [...new Set(formats.flatMap(({ engines }) => engines))];

function newRun(
  { auth, services }: EngineContext,
  scan_run_id: string,
  args: ImportArguments,
  { format, formats }: Report,
  report_sha256: string | null,
  default_provider: Provider | null,
): ScanRunRow {
  const { account_id, region, artifact, upload_id } = args;
  const owners = enginesOf(formats).filter((engine) => services.ingest.findingEngines.has(engine));
  const scope: RunScope = { ...(account_id && { account_id }), ...(region && { region }), ...(artifact && { artifact }) };
  return {
    _id: scanRunRowId(auth.tenant_id, scan_run_id),
    tenant_id: auth.tenant_id,
    scan_run_id,
    state: 'QUEUED',
    trigger: auth.agent_id === undefined ? 'import' : 'agent',
    format,
    provider: null,
    default_provider,
    account_id: account_id ?? null,
    scope,
    engines: owners.map((engine) => ({ engine, state: 'QUEUED', attempts: 0, heartbeat_at: null, error: null })),
    stages: waitingStages(['inventory', 'ingest', 'derive']),
    attempts: 0,
    last_error: null,
    events: 1,
    scope_digest: scopeDigest(format, scope),
    counts: { records: 0, skipped: 0, new: 0, updated: 0, resolved: 0, regressed: 0 },
    errors: [],
    total_findings: null,
    upload_id,
    report_sha256,
    request_sha256: requestDigest({ ...args, format }),
    observed_at: args.observed_at ?? null,
    created_at: services.clock.now(),
    started_at: null,
    completed_at: null,
  };
}
