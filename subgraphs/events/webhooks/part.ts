import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { webhookQueues } from './queue-record.js';
import { deliveries, deliveryRetention, webhooks } from './records.js';
import { resolvers } from './resolvers.js';
import { webhookSender } from './sender.js';

const tag = 'webhooks';

export const webhooksPart: EnginePart = {
  prefixes: ['webhooks'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/webhooks', field: 'webhooks', tag },
    { method: 'POST', path: '/webhooks', field: 'create_webhook', status: 201, tag },
    { method: 'PATCH', path: '/webhooks/{id}', field: 'update_webhook', tag },
    { method: 'DELETE', path: '/webhooks/{id}', field: 'delete_webhook', status: 204, tag },
    { method: 'GET', path: '/webhooks/{id}/deliveries', field: 'webhook_deliveries', tag },
    { method: 'POST', path: '/webhooks/{id}/deliveries/{delivery_id}/redeliver', field: 'redeliver_webhook', tag },
  ],
  collections: [webhooks, deliveries, webhookQueues],
  retention: [deliveryRetention],
  background: [webhookSender],
};
