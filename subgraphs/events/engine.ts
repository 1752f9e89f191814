import { MAIL_JOB, mailJob } from '../../kit/work/mail.js';
import { auditHeads, auditLog } from '../../kit/audit/audit.js';
import { outbox } from '../../kit/work/outbox.js';
import { consumers } from './outbox/consumers.js';
import { createDispatcher } from './outbox/dispatcher.js';
import { outboxLeases } from './outbox/lease.js';
import { auditSegments } from '../../kit/audit/segments.js';
import { defineEngine } from '../../kit/engine/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { auditRetention } from './audit-log/retention.js';
import { integrationsPart } from './integrations/part.js';
import { notificationRulesPart } from './notifications/part.js';
import { siemPart } from './siem/part.js';
import { ticketsPart } from './tickets/part.js';
import { listAuditLog, type AuditFilter } from './audit-log/service.js';
import { webhooksPart } from './webhooks/part.js';

export const engine = defineEngine({
  name: 'events',
  label: 'Events',
  description: 'What happened, and who is told: the audit log, webhooks, notification rules, integrations.',
  prefixes: ['audit-logs'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { audit_logs: (_, args: AuditFilter, context) => listAuditLog(context, args) } },
  routes: [{ method: 'GET', path: '/audit-logs', field: 'audit_logs', tag: 'audit' }],
  jobs: { [MAIL_JOB]: mailJob },
  collections: [auditLog as never, auditHeads as never, auditSegments as never, outbox as never, outboxLeases as never],
  background: [auditRetention, createDispatcher(consumers)],
  parts: [integrationsPart, notificationRulesPart, siemPart, ticketsPart, webhooksPart],
});
