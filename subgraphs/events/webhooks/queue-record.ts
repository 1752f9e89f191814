import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, number, text } from '../../../kit/store/fields.js';
import { repeatOnDuplicate, type TenantDatabase } from '../../../kit/store/database.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { DUE_FIELDS, DUE_INDEX, NEVER_LEASED } from '../../../kit/work/due.js';
import { wakeupPerDatabase } from '../../../kit/work/wakeup.js';
import { webhookRowId } from './records.js';

/**
 * The queue of one webhook, which one worker at a time empties; `_id` is that of the webhook. It is due when its first delivery is, but not
 * before the endpoint may be called again.
 */
export const webhookQueues = defineCollection(
  'webhook_lanes',
  {
    webhook_id: text,
    ...DUE_FIELDS,
    /** Until when the endpoint is left alone after failures. */
    not_before: date,
    /** Grows with everything that is added: a worker that found nothing more lets the queue rest only if it has not grown since. */
    added: number,
    /** Failures in a row, and pauses in a row that they have led to. */
    failures: number,
    pauses: number,
  },
  [DUE_INDEX],
);
export type WebhookQueueRow = RowOf<typeof webhookQueues>;

/** Before everything: what is due since then comes first. */
export const EPOCH = new Date(0);

/** Where the sender waits for deliveries of its own process. */
export const senderWakeup = wakeupPerDatabase();

/**
 * Tells the sender, when `transaction` commits, that a webhook has deliveries that are due at `now`.
 * @param now by the store's time
 * @param atOnce ends a pause after failures: a person has asked for a try
 */
export async function addToQueue(
  tenant: TenantDatabase,
  transaction: TransactionOf,
  webhookId: string,
  now: Date,
  atOnce = false,
): Promise<void> {
  const rows = tenant.collection(webhookQueues);
  const own = { _id: webhookRowId(tenant.tenantId, webhookId) };
  const first = { webhook_id: webhookId, due_at: now, ...NEVER_LEASED, failures: 0, pauses: 0 };
  const added = {
    $inc: { added: 1 },
    ...(atOnce ? { $set: { not_before: EPOCH }, $setOnInsert: first } : { $setOnInsert: { ...first, not_before: EPOCH } }),
  };
  // from here on nobody else changes the row until the transaction ends
  const row = (await rows.findAndUpdate(own, added, { transaction, upsert: true, returnNew: true }).catch(repeatOnDuplicate))!;
  const due_at = row.not_before > now ? row.not_before : now;
  if (row.due_at === null || row.due_at > due_at) await rows.update(own, { $set: { due_at } }, { transaction });
}
