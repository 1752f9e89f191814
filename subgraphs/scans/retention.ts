import { auditHeads } from '../../kit/audit/audit.js';
import { SYSTEM_ACTOR } from '../../kit/base/auth-context.js';
import { periodic } from '../../kit/engine/background.js';
import type { EngineServices } from '../../kit/engine/context.js';
import { getAuditLog } from '../../kit/engine/create-context.js';
import { forgetRunChanges } from '../../kit/findings/run-changes.js';
import { scanRunEvents } from './events/records.js';
import { FINAL_STATES, scanRuns, type ScanRunRow } from './records.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** How long a run outlives its report, so that a late retry is told why it cannot be. */
const RUN_AFTER_REPORT = 30 * DAY;
/** Age from which an upload that no run names is an orphan: far above the time that an import may take to make its run. */
export const ORPHAN_AGE = DAY;
/** Runs that one transaction changes. */
const BATCH = 500;

type RetentionServices = Pick<EngineServices, 'database' | 'clock' | 'masterKey' | 'objects' | 'ingest'>;

/** Removes the reports of runs whose retention has ended, then the runs, and uploads that no run came of. */
export const runRetention = periodic('scans.retention', HOUR, async (services, signal) => {
  for await (const { tenant_id } of services.database.system(auditHeads).scan({}, { fields: ['tenant_id'] })) {
    if (signal.aborted) return;
    await retainRuns(services, tenant_id)
      .then(() => sweepOrphans(services, tenant_id))
      .catch((error: unknown) => services.logger.error({ err: error, tenant: tenant_id }, 'reports of old runs could not be removed'));
  }
});

/** Ends the retention of a tenant's runs that ended longer ago than its `run_retention_days` say. */
export async function retainRuns(services: RetentionServices & EngineServices, tenantId: string): Promise<void> {
  const { run_retention_days } = await services.ingest.importSettings(services, tenantId);
  const end = services.clock.now().getTime() - run_retention_days * DAY;
  const ended = (time: number) => ({ state: { $in: FINAL_STATES }, completed_at: { $lt: new Date(time) } });
  while ((await expire(services, tenantId, { ...ended(end), upload_id: { $ne: null } }, 'reports')) === BATCH);
  while ((await expire(services, tenantId, ended(end - RUN_AFTER_REPORT), 'runs')) === BATCH);
  await forgetRunChanges(
    services.database.tenant(tenantId),
    services.findingEngines.map(({ engine }) => engine),
    new Date(end - RUN_AFTER_REPORT),
  );
}

/** Ends the retention of a batch of reports or runs, with its entry in the audit log. @returns how many */
async function expire(
  services: RetentionServices,
  tenantId: string,
  filter: Record<string, unknown>,
  what: 'reports' | 'runs',
): Promise<number> {
  const { database, clock, objects } = services;
  const tenant = database.tenant(tenantId);
  const expired = await database.transaction(async (transaction): Promise<ScanRunRow[]> => {
    const rows = tenant.collection(scanRuns);
    const found = await rows.find(filter, { fields: ['scan_run_id', 'upload_id', 'completed_at'], limit: BATCH, transaction });
    if (found.length === 0) return [];
    const chosen = { ...filter, _id: { $in: found.map(({ _id }) => _id) } };
    if (what === 'runs') {
      await rows.remove(chosen, { transaction });
      const scan_run_id = { $in: found.map((run) => run.scan_run_id) };
      await tenant.collection(scanRunEvents).remove({ scan_run_id }, { transaction });
    } else await rows.updateMany(chosen, { $set: { upload_id: null } }, { transaction });
    const times = found.map(({ completed_at }) => completed_at!.getTime());
    const [first, last] = [Math.min(...times), Math.max(...times)].map((time) => new Date(time).toISOString());
    const detail = { [what]: found.length, first, last };
    await getAuditLog(services).append(transaction, tenantId, clock.now(), [
      { action: 'scan.expire', actor_email: SYSTEM_ACTOR, target: `tenant:${tenantId}`, result: 'success', detail },
    ]);
    return found;
  });
  // what a crash leaves of the files here is an orphan
  for (const { upload_id } of expired) if (upload_id) await objects.remove(tenantId, upload_id);
  return expired.length;
}

/** Removes a tenant's uploads of which no run was made. */
export async function sweepOrphans({ database, clock, objects }: RetentionServices, tenantId: string): Promise<void> {
  const before = clock.now().getTime() - ORPHAN_AGE;
  const old = (await objects.list(tenantId)).filter(({ written_at }) => written_at.getTime() < before).map(({ id }) => id);
  for (let start = 0; start < old.length; start += BATCH) {
    const batch = old.slice(start, start + BATCH);
    const rows = await database
      .tenant(tenantId)
      .collection(scanRuns)
      .find({ upload_id: { $in: batch } }, { fields: ['upload_id'] });
    const kept = new Set(rows.map(({ upload_id }) => upload_id));
    for (const id of batch) if (!kept.has(id)) await objects.remove(tenantId, id);
  }
}
