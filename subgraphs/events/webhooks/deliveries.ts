import type { EngineContext } from '../../../kit/engine/context.js';
import { conflict, notFound } from '../../../kit/base/errors.js';
import { pageWindow, toPage, type Page, type PageArguments } from '../../../kit/store/paging.js';
import { addToQueue, EPOCH, senderWakeup } from './queue-record.js';
import { deliveries, deliveryRowId, webhookRowId, webhooks, type DeliveryRow, type DeliveryState, type WebhookRow } from './records.js';
import { audit } from './service.js';

export interface DeliveryFilter extends PageArguments {
  id: string;
  state?: DeliveryState[] | null;
}

/** A delivery as the graph gives it. */
const deliveryView = ({ payload, next_at, requested_at, ...row }: DeliveryRow) => ({
  ...row,
  payload: JSON.parse(payload) as unknown,
  next_attempt_at: next_at && new Date(Math.max(next_at.getTime(), requested_at.getTime())),
});
export type DeliveryView = ReturnType<typeof deliveryView>;

const findWebhook = (context: EngineContext, id: string): Promise<WebhookRow | null> =>
  context.collection(webhooks).findOne({ _id: webhookRowId(context.auth.tenant_id, id) });

/** The ledger of a webhook, newest event first; null when the tenant has none of this id. */
export async function listDeliveries(context: EngineContext, { id, state, ...page }: DeliveryFilter): Promise<Page<DeliveryView> | null> {
  const window = pageWindow(page);
  if (!(await findWebhook(context, id))) return null;
  const condition = { webhook_id: id, ...(state && { state: { $in: state } }) };
  const rows = context.collection(deliveries);
  const [items, total] = await Promise.all([
    rows.find(condition, { sort: { seq: -1 }, skip: window.skip, limit: window.limit }),
    rows.count(condition),
  ]);
  return toPage(items.map(deliveryView), total, window);
}

/**
 * Queues a recorded delivery again, at the front, under the same webhook-id.
 * @throws NOT_FOUND; CONFLICT while the webhook is paused
 */
export async function redeliver(context: EngineContext, id: string, deliveryId: string): Promise<DeliveryView> {
  const { database, storeClock } = context.services;
  const { tenant_id } = context.auth;
  const rows = context.collection(deliveries);
  const webhook = await findWebhook(context, id);
  if (!webhook) throw notFound('Webhook');
  const row = await context.transaction(async (transaction) => {
    const now = storeClock.now();
    const again = { state: 'pending', tries: 0, requested_at: now, next_at: EPOCH };
    const own = { _id: deliveryRowId(tenant_id, deliveryId), webhook_id: id };
    const updated = await rows.findAndUpdate(own, { $set: again }, { returnNew: true, transaction });
    if (!updated) throw notFound('Delivery');
    if (webhook.state === 'paused') throw conflict('The webhook is paused: resume it first');
    await addToQueue(database.tenant(tenant_id), transaction, id, now, true);
    await audit(context, transaction, 'webhook.redeliver', webhook, { delivery_id: deliveryId });
    return updated;
  });
  senderWakeup(database).wake();
  return deliveryView(row);
}
