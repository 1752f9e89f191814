import { randomUUID } from 'node:crypto';
import { findImporter } from '../../../importers/index.js';
import { badRequest, conflict, invalid } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import type { Provider } from '../../../schema/model.js';
import { writeRunEvent } from '../events/write.js';
import { IMPORT_REPORT, NOT_FINAL, scanRunRowId, scanRuns, type ScanRunRow } from '../records.js';
import { assertRoom } from '../room.js';
import { DUPLICATE_KEY, findScanRun, SCAN_RUN_ID, scopeDigest } from '../service.js';
import { waitingStages } from '../stages.js';
import { checkCoverage, type CoverageInput } from './coverage-input.js';
import { scanIdOf, scanRowId, scans, type ScanCoverage } from './records.js';

/** Scans that a tenant may have. */
const MOST_SCANS = 2_000;
/** The format of what collectors write. */
const COLLECTED = 'cloud_api_responses';

export interface ScanInput extends CoverageInput {
  scan_run_id?: string | null;
  if_running?: 'queue' | 'refuse' | null;
}

/**
 * Starts a scan of a connected account. The same id and scope again give the first run. A run of a scan that is at work waits behind it, or is refused.
 * @param trigger what asks for it
 * @throws PalisadeError BAD_REQUEST for a malformed id; CONFLICT when the id is that of another run, or the scan is at work and `if_running` refuses;
 *   VALIDATION_ERROR when the account is not the tenant's to scan or the plan has no room
 */
export async function startScan(context: EngineContext, input: ScanInput, trigger: 'manual' | 'schedule' = 'manual'): Promise<ScanRunRow> {
  const { auth, services } = context;
  const scan_run_id = input.scan_run_id ?? randomUUID();
  if (!SCAN_RUN_ID.test(scan_run_id)) throw badRequest('scan_run_id must be 1 to 128 of A-Z a-z 0-9 . _ : -');
  const { coverage, provider } = await checkCoverage(context, input);
  const first = await findScanRun(context, scan_run_id);
  if (first) return repeated(first, coverage);
  await assertRoom(context);
  const scan_id = scanIdOf(coverage);
  try {
    const run = await context.transaction(async (transaction) => {
      await noteScan(context, coverage, provider, scan_run_id, transaction);
      const rows = context.collection(scanRuns);
      const before = await rows.findOne({ scan_id, ...NOT_FINAL }, { sort: { created_at: -1 }, fields: ['scan_run_id'], transaction });
      if (before && input.if_running === 'refuse')
        throw conflict(`The scan is at work: ${before.scan_run_id}`, { scan_run_id: before.scan_run_id });
      const started = newRun(context, scan_run_id, coverage, provider, trigger, before?.scan_run_id ?? null);
      await rows.insert(started, { transaction });
      await writeRunEvent(context, started, 'state', transaction);
      if (!before) await services.jobs.add(transaction, auth, IMPORT_REPORT, { scan_run_id });
      const { email: actor_email, role, ip_address } = auth;
      const detail = { trigger, ...coverage };
      const target = `scan_run:${scan_run_id}`;
      await context.audit(transaction, { action: 'scan.trigger', actor_email, role, ip_address, target, result: 'success', detail });
      return started;
    });
    services.jobs.wake();
    return run;
  } catch (error) {
    if ((error as { code?: number }).code !== DUPLICATE_KEY) throw error;
    // another client came first: with the same id, or with the first run of the same scan
    const other = await findScanRun(context, scan_run_id);
    return other ? repeated(other, coverage) : startScan(context, { ...input, scan_run_id }, trigger);
  }
}

/** @throws PalisadeError CONFLICT when the first run under the id was of something else */
function repeated(run: ScanRunRow, coverage: ScanCoverage): ScanRunRow {
  if (run.scan_id === scanIdOf(coverage)) return run;
  const { scan_run_id, state, created_at } = run;
  throw conflict(`scan_run_id names another run, of ${created_at.toISOString()}: ${scan_run_id}`, { scan_run_id, state, created_at });
}

/** Keeps the definition, with the run that is its latest from now on. @param scan_run_id null where none begins */
export async function noteScan(
  context: EngineContext,
  coverage: ScanCoverage,
  provider: Provider,
  scan_run_id: string | null,
  transaction: TransactionOf,
): Promise<void> {
  const { auth, services } = context;
  const rows = context.collection(scans);
  const scan_id = scanIdOf(coverage);
  const _id = scanRowId(auth.tenant_id, scan_id);
  const begins = scan_run_id !== null && { $set: { last_run_id: scan_run_id }, $inc: { runs: 1 } };
  if (await rows.findOne({ _id }, { fields: ['_id'], transaction })) {
    if (begins) await rows.update({ _id }, begins, { transaction });
    return;
  }
  if ((await rows.count({}, { transaction })) >= MOST_SCANS)
    throw invalid([{ path: 'account_id', message: `a tenant may have ${MOST_SCANS} scans` }]);
  const { account_id, regions, services: asked, engines } = coverage;
  await rows.insert(
    {
      ...{ _id, tenant_id: auth.tenant_id, scan_id, provider, account_id },
      ...{ regions: [...regions], services: [...asked], engines: [...engines] },
      ...{ last_run_id: scan_run_id, runs: scan_run_id === null ? 0 : 1, created_by: auth.email, created_at: services.clock.now() },
    },
    { transaction },
  );
}

function newRun(
  { auth, services }: EngineContext,
  scan_run_id: string,
  coverage: ScanCoverage,
  provider: Provider,
  trigger: 'manual' | 'schedule',
  queued_behind: string | null,
): ScanRunRow {
  const { account_id } = coverage;
  const fed = findImporter(COLLECTED)!.engines.filter((engine) => services.ingest.findingEngines.has(engine));
  const owners = coverage.engines.length === 0 ? fed : fed.filter((engine) => coverage.engines.includes(engine));
  const { reading: _, ...owner } = auth;
  return {
    ...{ _id: scanRunRowId(auth.tenant_id, scan_run_id), tenant_id: auth.tenant_id, scan_run_id, state: 'QUEUED', trigger },
    ...{ format: COLLECTED, provider, default_provider: provider, account_id, scope: {} },
    engines: owners.map((engine) => ({ engine, state: 'QUEUED', attempts: 0, heartbeat_at: null, error: null })),
    stages: waitingStages(['collect', 'inventory', 'evaluate', 'ingest', 'derive']),
    ...{ attempts: 0, last_error: null, events: 1, scope_digest: scopeDigest(scanIdOf(coverage), {}) },
    counts: { records: 0, skipped: 0, new: 0, updated: 0, resolved: 0, regressed: 0 },
    ...{ errors: [], total_findings: null, upload_id: null, report_sha256: null, request_sha256: null, observed_at: null },
    ...{ scan_id: scanIdOf(coverage), coverage, owner, queued_behind },
    ...{ created_at: services.clock.now(), started_at: null, completed_at: null },
  };
}
