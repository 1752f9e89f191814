import type { EventConsumer } from '../outbox/consumer.js';
import { findingsBehind } from '../findings/of-events.js';
import { passes, payloadOf, wants } from './events.js';
import { addToQueue, senderWakeup } from './queue-record.js';
import { deliveries, deliveryId, deliveryRowId, webhooks, type DeliveryRow } from './records.js';

const ACTIVE = { state: 'active' } as const;

/** Makes a delivery of every event for every webhook that wants it. */
export const webhookConsumer: EventConsumer = {
  name: 'webhooks',

  async listens({ database }, tenantId) {
    return (
      (await database
        .tenant(tenantId)
        .collection(webhooks)
        .findOne(ACTIVE, { fields: ['_id'] })) !== null
    );
  },

  async prepare(services, tenantId, entries) {
    const { database, clock, storeClock } = services;
    const tenant = database.tenant(tenantId);
    const listening = await tenant.collection(webhooks).find(ACTIVE);
    const wanted = entries.filter((entry) => listening.some((webhook) => wants(webhook, entry)));
    if (wanted.length === 0) return null;
    const findings = await findingsBehind(services, tenantId, wanted);
    const now = storeClock.now();
    const rows = wanted.flatMap((entry): DeliveryRow[] => {
      const finding = findings.get(entry.target ?? '');
      const takers = listening.filter((webhook) => wants(webhook, entry) && passes(webhook.filter, entry, finding));
      if (takers.length === 0) return [];
      const payload = payloadOf(entry, finding);
      return takers.map(({ webhook_id }) => {
        const delivery_id = deliveryId(webhook_id, entry.seq);
        return {
          _id: deliveryRowId(tenantId, delivery_id),
          tenant_id: tenantId,
          delivery_id,
          webhook_id,
          seq: entry.seq,
          event: entry.action,
          payload,
          state: 'pending',
          attempts: [],
          tries: 0,
          requested_at: now,
          next_at: now,
          sent_at: null,
          created_at: clock.now(),
        };
      });
    });
    if (rows.length === 0) return null;
    return async (transaction) => {
      await tenant.collection(deliveries).insertMany(rows, { transaction });
      for (const webhookId of new Set(rows.map(({ webhook_id }) => webhook_id))) await addToQueue(tenant, transaction, webhookId, now);
      senderWakeup(database).wakeAfter(transaction);
    };
  },
};
