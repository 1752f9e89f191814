import type { EngineServices } from '../../../kit/engine/context.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { DUE_FIELDS, DUE_INDEX, NEVER_LEASED } from '../../../kit/work/due.js';
import { outbox, outboxWakeup } from '../../../kit/work/outbox.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';

/** Milliseconds between two looks at the outbox when nothing wakes the dispatcher. */
const POLL_MS = 1_000;
const DUPLICATE = 11_000;

/**
 * The tenants of which entries are to be handed out; `_id` is the tenant id. A row is due from when entries were found until all are handed
 * out. Dispatchers alone write it: if every audited transaction did, it would meet its worker's lease, and be repeated.
 */
export const waitingTenants = defineCollection('outbox_leases', DUE_FIELDS, [DUE_INDEX]);
export type WaitingTenantRow = RowOf<typeof waitingTenants>;

/** Makes tenants due whose entries wait, until `stopping` is aborted. */
export async function findWaitingTenants({ database, storeClock, logger }: EngineServices, stopping: AbortSignal): Promise<void> {
  const wakeup = outboxWakeup(database);
  const makeDue = async (tenantId: string): Promise<boolean> => {
    const due = { $set: { due_at: storeClock.now() }, $setOnInsert: NEVER_LEASED };
    try {
      await database.tenant(tenantId).collection(waitingTenants).update({ _id: tenantId, due_at: null }, due, { upsert: true });
      return true;
    } catch (error) {
      // it is due already: the upsert would have made a second row
      if ((error as { code?: number }).code === DUPLICATE) return false;
      throw error;
    }
  };
  const waiting = async (): Promise<string[]> => {
    const rows = database.system(outbox);
    // most of the time there are none, which a read tells at a fraction of what the list costs
    if (!(await rows.findOne({}, { fields: ['_id'] }))) return [];
    return (await rows.distinct('tenant_id', { tenant_id: { $nin: await endedTenants(database) } })) as string[];
  };
  while (!stopping.aborted) {
    const turn = wakeup.turn;
    try {
      if ((await Promise.all((await waiting()).map(makeDue))).includes(true)) wakeup.wake();
    } catch (error) {
      logger.warn({ err: error }, 'the outbox cannot be read');
    }
    await wakeup.sleep(POLL_MS, stopping, turn);
  }
}
