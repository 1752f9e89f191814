import { MAIL_JOB, mailJob } from '../_kit/mail.js';
import { auditHeads, auditLog } from '../_kit/audit.js';
import { defineEngine } from '../_kit/engine.js';
import { readSchema } from '../_kit/read-schema.js';
import { integrationsPart } from './integrations/part.js';
import { notificationRulesPart } from './notification-rules/part.js';
import { ticketsPart } from './tickets/part.js';
import { listAuditLog, type AuditFilter } from './service.js';

export const engine = defineEngine({
  name: 'events',
  label: 'Events',
  description: 'What happened, and who is told: the audit log, notification rules, integrations.',
  prefixes: ['audit-logs'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { audit_logs: (_, args: AuditFilter, context) => listAuditLog(context, args) } },
  routes: [{ method: 'GET', path: '/audit-logs', field: 'audit_logs', tag: 'audit' }],
  jobs: { [MAIL_JOB]: mailJob },
  collections: [auditLog as never, auditHeads as never],
  parts: [integrationsPart, notificationRulesPart, ticketsPart],
});
