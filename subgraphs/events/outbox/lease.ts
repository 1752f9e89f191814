import { defineCollection } from '../../../kit/store/collection.js';
import { date, text } from '../../../kit/store/fields.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { LEASE_MS } from '../../../kit/work/lease.js';

/** The worker that hands out a tenant's entries now; `_id` is the tenant id. There is a row only while one does. */
export const outboxLeases = defineCollection('outbox_leases', {
  leased_by: text,
  leased_until: date,
});

const DUPLICATE = 11_000;

/**
 * Lets one worker at a time hand out the entries of a tenant. It saves work and keeps the order; that no entry is handed out twice is held by
 * the transaction that removes its outbox row.
 */
export class OutboxLease {
  private readonly rows;

  constructor(
    private readonly services: EngineServices,
    private readonly tenantId: string,
    private readonly worker: string,
  ) {
    this.rows = services.database.tenant(tenantId).collection(outboxLeases);
  }

  /** Takes the lease or extends it. @returns false when another worker has it */
  async hold(): Promise<boolean> {
    const now = this.services.storeClock.now();
    const free = { _id: this.tenantId, $or: [{ leased_by: this.worker }, { leased_until: { $lt: now } }] };
    const taken = { $set: { leased_by: this.worker, leased_until: new Date(now.getTime() + LEASE_MS) } };
    try {
      await this.rows.update(free, taken, { upsert: true });
      return true;
    } catch (error) {
      // the row exists and is another's: the upsert would have made a second one
      if ((error as { code?: number }).code === DUPLICATE) return false;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.rows.remove({ _id: this.tenantId, leased_by: this.worker });
  }
}
