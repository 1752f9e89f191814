import type { EngineDefinition } from '../../../kit/engine/engine.js';
import { listDeliveries, redeliver, type DeliveryFilter } from './deliveries.js';
import type { WebhookInput } from './input.js';
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook, type WebhookFilterArguments } from './service.js';

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    webhooks: (_, args: WebhookFilterArguments, context) => listWebhooks(context, args),
    webhook_deliveries: (_, args: DeliveryFilter, context) => listDeliveries(context, args),
  },
  Mutation: {
    create_webhook: (_, args: { input: WebhookInput }, context) => createWebhook(context, args.input),
    update_webhook: (_, args: { id: string; input: WebhookInput }, context) => updateWebhook(context, args.id, args.input),
    delete_webhook: (_, args: { id: string }, context) => deleteWebhook(context, args.id),
    redeliver_webhook: (_, args: { id: string; delivery_id: string }, context) => redeliver(context, args.id, args.delivery_id),
  },
};
