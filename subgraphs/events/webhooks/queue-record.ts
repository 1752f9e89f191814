import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, nullable, number, text } from '../../../kit/store/fields.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { wakeupPerDatabase } from '../../../kit/work/wakeup.js';
import { webhookRowId } from './records.js';

/**
 * The queue of one webhook, which one worker at a time empties; `_id` is that of the webhook. There is a row only while something waits, so
 * asking for work never looks at webhooks that have none.
 */
export const webhookQueues = defineCollection('webhook_lanes', {
  webhook_id: text,
  /** When its first delivery is due. */
  due_at: date,
  /** Until when the endpoint is left alone after failures. */
  not_before: date,
  /** Grows with everything that is added: a worker that found nothing more takes the row away only if it has not grown since. */
  added: number,
  /** Failures in a row, and pauses in a row that they have led to. */
  failures: number,
  pauses: number,
  leased_by: nullable(text),
  leased_until: date,
});
export type WebhookQueueRow = RowOf<typeof webhookQueues>;

/** Before everything: what is due since then comes first. */
export const EPOCH = new Date(0);

/** Where the sender waits for deliveries of its own process. */
export const senderWakeup = wakeupPerDatabase();

/**
 * Tells the sender, when `transaction` commits, that a webhook has deliveries that are due at `now`.
 * @param atOnce ends a pause after failures: a person has asked for a try
 */
export async function addToQueue(
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
  await tenant.collection(webhookQueues).update({ _id: webhookRowId(tenant.tenantId, webhookId) }, update, { transaction, upsert: true });
}
