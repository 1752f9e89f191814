import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { backOff, workOffDue, type Outcome } from '../../../kit/work/due.js';
import { writeDay } from './daily-file.js';
import { DeliveryOvertaken, reasonOf } from './failure.js';
import { siemExports, type SiemExportRow } from './records.js';
import { postBatch } from './webhook.js';

/** Exports that one process sends at a time. */
const AT_A_TIME = 8;
/** How soon an export without news is due again; milliseconds. */
const IDLE = { webhook: 2_000, object_storage: 10 * 60_000 };
/** The pauses after a first failure, a second, …: each twice as long, up to an hour; milliseconds. */
const PAUSES = Array.from({ length: 11 }, (_, failures) => Math.min(60 * 60_000, 5_000 * 2 ** failures));

/** Sends what is due of all tenants' exports. An export is in one process's hands at a time, and it never gives up: its position waits. */
export const siemDelivery: BackgroundTask = {
  name: 'siem.delivery',
  run: (services, stopping) =>
    workOffDue(
      services,
      {
        name: 'SIEM exports',
        collection: siemExports,
        where: { enabled: true },
        atATime: AT_A_TIME,
        run: ({ row, signal }) => deliver(services, row, signal),
        failed: ({ row }, error) => afterFailure(services, row, error),
      },
      stopping,
    ),
};

/** Sends the next batch or file of an export. */
async function deliver(services: EngineServices, row: SiemExportRow, signal: AbortSignal): Promise<Outcome<SiemExportRow>> {
  const step = await (row.kind === 'webhook' ? postBatch : writeDay)(services, row, signal);
  const due = services.storeClock.now();
  if (!step) return { due_at: new Date(due.getTime() + IDLE[row.kind]) };
  const now = services.clock.now();
  return { due_at: due, set: { failures: 0, last_success_at: now, last_error: null, last_error_at: null, ...step } };
}

function afterFailure({ clock, storeClock, logger }: EngineServices, row: SiemExportRow, error: unknown): Outcome<SiemExportRow> | null {
  if (error instanceof DeliveryOvertaken) return null;
  const reason = reasonOf(error);
  if (reason === null) logger.error({ err: error, tenant: row.tenant_id }, 'a SIEM export failed on our side');
  const failures = row.failures + 1;
  return {
    due_at: new Date(storeClock.now().getTime() + backOff(PAUSES, failures)),
    set: { failures, last_error: reason ?? 'the delivery failed on our side', last_error_at: clock.now() },
  };
}
