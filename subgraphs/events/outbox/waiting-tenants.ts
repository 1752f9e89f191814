import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineServices } from '../../../kit/engine/context.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { DUE_FIELDS, DUE_INDEX, NEVER_LEASED } from '../../../kit/work/due.js';
import { outbox, outboxWakeup } from '../../../kit/work/outbox.js';
import { endedTenants } from '../../../kit/work/tenant-ends.js';
import { watchFor } from '../../../kit/work/store-watch.js';
import type { Wakeup } from '../../../kit/work/wakeup.js';

/** Milliseconds between two looks at the outbox when nothing wakes the dispatcher. */
const POLL_MS = 1_000;
/** The same while the entries of a tenant are being handed out: what came at the end of that may have been missed. */
const POLL_HELD_MS = 200;
/** Milliseconds for which entries gather after the first: those of a run come close together, and are handed out at once. */
const GATHER_MS = 100;
const DUPLICATE = 11_000;

/**
 * The tenants of which entries are to be handed out; `_id` is the tenant id. A row is due from when entries were found until all are handed
 * out. Dispatchers alone write it: if every audited transaction did, it would meet its worker's lease, and be repeated.
 */
export const waitingTenants = defineCollection('outbox_leases', DUE_FIELDS, [DUE_INDEX]);
export type WaitingTenantRow = RowOf<typeof waitingTenants>;

/** Makes tenants due whose entries wait, until `stopping` is aborted. @param due woken when a tenant has become due */
export async function findWaitingTenants(
  { database, storeClock, logger }: EngineServices,
  due: Wakeup,
  stopping: AbortSignal,
): Promise<void> {
  const wakeup = outboxWakeup(database);
  const makeDue = async (tenantId: string): Promise<boolean> => {
    const change = { $set: { due_at: storeClock.now() }, $setOnInsert: NEVER_LEASED };
    try {
      await database.tenant(tenantId).collection(waitingTenants).update({ _id: tenantId, due_at: null }, change, { upsert: true });
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
  const unreadable = (error: unknown) => logger.warn({ err: error }, 'the outbox cannot be read');
  const endWatch = watchFor(database, {
    collection: outbox,
    condition: () => ({}),
    everyMs: POLL_MS,
    found: () => wakeup.wake(),
    failed: unreadable,
  });
  while (!stopping.aborted) {
    const turn = wakeup.turn;
    let isHeld = false;
    try {
      const made = await Promise.all((await waiting()).map(makeDue));
      if (made.includes(true)) due.wake();
      isHeld = made.includes(false);
    } catch (error) {
      unreadable(error);
    }
    await wakeup.sleep(isHeld ? POLL_HELD_MS : null, stopping, turn);
    await sleep(GATHER_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
  endWatch();
}
