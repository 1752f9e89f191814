import { defineCollection } from '../../../kit/store/collection.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { wakeupPerDatabase } from '../../../kit/work/wakeup.js';
import { webhookRowId } from './records.js';

/**
 * The queue of one webhook, which one worker at a time empties; `_id` is that of the webhook. There is a row only while something waits, so
 * asking for work never looks at webhooks that have none.
 */
export interface LaneRow {
  _id: string;
  tenant_id: string;
  webhook_id: string;
  /** When its first delivery is due. */
  due_at: Date;
  /** Until when the endpoint is left alone after failures. */
  not_before: Date;
  /** Grows with everything that is added: a worker that found nothing more takes the lane away only if it has not grown since. */
  added: number;
  /** Failures in a row, and pauses in a row that they have led to. */
  failures: number;
  pauses: number;
  leased_by: string | null;
  leased_until: Date;
}

export const lanes = defineCollection<LaneRow>('webhook_lanes', {
  webhook_id: String,
  due_at: Date,
  not_before: Date,
  added: Number,
  failures: Number,
  pauses: Number,
  leased_by: String,
  leased_until: Date,
});

/** Before everything: what is due since then comes first. */
export const EPOCH = new Date(0);

/** Where the sender waits for deliveries of its own process. */
export const senderWakeup = wakeupPerDatabase();

/**
 * Tells the sender, when `transaction` commits, that a webhook has deliveries that are due at `now`.
 * @param atOnce ends a pause after failures: a person has asked for a try
 */
export async function addToLane(
  tenant: TenantDatabase,
  transaction: TransactionOf,
  webhookId: string,
  now: Date,
  atOnce = false,
): Promise<void> {
  const free = { leased_by: null, leased_until: EPOCH, failures: 0, pauses: 0, webhook_id: webhookId };
  const update = {
    $min: { due_at: now },
    $inc: { added: 1 },
    ...(atOnce ? { $set: { not_before: EPOCH }, $setOnInsert: free } : { $setOnInsert: { ...free, not_before: EPOCH } }),
  };
  await tenant.collection(lanes).update({ _id: webhookRowId(tenant.tenantId, webhookId) }, update, { transaction, upsert: true });
}
