import { defineEngine } from '../../kit/engine/engine.js';
import { auditLogPart } from './audit-log/part.js';
import { integrationsPart } from './integrations/part.js';
import { ruleConsumer } from './notifications/consumer.js';
import { notificationRulesPart } from './notifications/part.js';
import { sendingRules } from './notifications/sending-rules.js';
import { outboxPart } from './outbox/part.js';
import { siemPart } from './siem/part.js';
import { ticketsPart } from './tickets/part.js';
import { resolvedComments } from './tickets/resolved-comment.js';
import { webhookConsumer } from './webhooks/consumer.js';
import { webhooksPart } from './webhooks/part.js';

export const engine = defineEngine({
  name: 'events',
  label: 'Events',
  description: 'What happened, and who is told: the audit log, webhooks, notification rules, integrations.',
  prefixes: [],
  typeDefs: '',
  resolvers: {},
  parts: [
    auditLogPart,
    siemPart,
    webhooksPart,
    notificationRulesPart,
    integrationsPart(sendingRules),
    ticketsPart,
    outboxPart([ruleConsumer, resolvedComments, webhookConsumer]),
  ],
});
