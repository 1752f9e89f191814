import { randomUUID } from 'node:crypto';
import type { BackgroundTask } from '../../../kit/engine/background.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { Wakeup } from '../../../kit/work/wakeup.js';
import { writeDay } from './daily-file.js';
import { DeliveryOvertaken, reasonOf } from './failure.js';
import { siemExports, type SiemExportRow } from './records.js';
import { postBatch } from './webhook.js';

/** Exports that one process sends at a time. */
const AT_A_TIME = 8;
/** How often a process asks for exports that are due, how long it keeps one, and how soon an export without news is due again; milliseconds. */
const ASK_EVERY = 1_000;
const LEASE = 5 * 60_000;
const IDLE = { webhook: 2_000, object_storage: 10 * 60_000 };
/** The pause after a first failure, which doubles with each further one, and the longest; milliseconds. */
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 60 * 60_000;

const pauseAfter = (failures: number): number => Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);

/** Sends what is due of all tenants' exports. An export is in one process's hands at a time, and it never gives up: its position waits. */
export const siemDelivery: BackgroundTask = {
  name: 'siem.delivery',
  async run(services, signal) {
    const worker = randomUUID();
    const running = new Set<Promise<void>>();
    const wakeup = new Wakeup();
    const start = (row: SiemExportRow) => {
      const one: Promise<void> = deliver(services, row, signal)
        .catch((error: unknown) =>
          services.logger.error({ err: error, tenant: row.tenant_id }, 'the outcome of a SIEM export was not noted'),
        )
        .finally(() => {
          running.delete(one);
          wakeup.wake();
        });
      running.add(one);
    };
    try {
      while (!signal.aborted) {
        const turn = wakeup.turn;
        (await takeDue(services, worker, AT_A_TIME - running.size)).forEach(start);
        // whoever ends first may go on, however long the others take
        await wakeup.sleep(ASK_EVERY, signal, turn);
      }
    } finally {
      await Promise.all(running);
    }
  },
};

/** Takes the exports that have waited longest, at most `limit`. */
async function takeDue({ database, clock }: EngineServices, worker: string, limit: number): Promise<SiemExportRow[]> {
  const rows = database.system(siemExports);
  const tenant_id = { $nin: await endedTenants(database) };
  const taken: SiemExportRow[] = [];
  while (taken.length < limit) {
    const now = clock.now();
    const lease = { $set: { next_at: new Date(now.getTime() + LEASE), leased_by: `${worker}/${randomUUID()}` } };
    const row = await rows.findAndUpdate({ tenant_id, enabled: true, next_at: { $lte: now } }, lease, {
      sort: { next_at: 1 },
      returnNew: true,
    });
    if (!row) break;
    taken.push(row);
  }
  return taken;
}

/** Sends the next batch or file of an export and notes the outcome, unless the export was set anew meanwhile. */
async function deliver(services: EngineServices, row: SiemExportRow, signal: AbortSignal): Promise<void> {
  const { database, clock } = services;
  const inTime = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);
  let change: Partial<SiemExportRow>;
  try {
    const step = await (row.kind === 'webhook' ? postBatch : writeDay)(services, row, signal);
    const success = { failures: 0, last_success_at: clock.now(), last_error: null, last_error_at: null, next_at: clock.now() };
    change = step ? { ...success, ...step } : { next_at: inTime(IDLE[row.kind]) };
  } catch (error) {
    if (error instanceof DeliveryOvertaken) return;
    change = signal.aborted ? { next_at: clock.now() } : failed(services, row, error, inTime(pauseAfter(row.failures)));
  }
  await database
    .tenant(row.tenant_id)
    .collection(siemExports)
    .update({ _id: row._id, leased_by: row.leased_by }, { $set: { ...change, leased_by: null } });
}

function failed({ clock, logger }: EngineServices, row: SiemExportRow, error: unknown, next_at: Date): Partial<SiemExportRow> {
  const reason = reasonOf(error);
  if (reason === null) logger.error({ err: error, tenant: row.tenant_id }, 'a SIEM export failed on our side');
  const last_error = reason ?? 'the delivery failed on our side';
  return { failures: row.failures + 1, last_error, last_error_at: clock.now(), next_at };
}
