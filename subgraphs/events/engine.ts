import { MAIL_JOB, mailJob } from '../_kit/mail.js';
import { auditHeads, auditLog } from '../_kit/audit.js';
import { auditSegments } from '../_kit/audit-segments.js';
import { defineEngine } from '../_kit/engine.js';
import { readSchema } from '../_kit/read-schema.js';
import { auditRetention } from './audit/retention.js';
import { siemPart } from './siem/part.js';
import { listAuditLog, type AuditFilter } from './service.js';

export const engine = defineEngine({
  name: 'events',
  label: 'Events',
  description: 'What happened: the audit log and its export.',
  prefixes: ['audit-logs'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { audit_logs: (_, args: AuditFilter, context) => listAuditLog(context, args) } },
  routes: [{ method: 'GET', path: '/audit-logs', field: 'audit_logs', tag: 'audit' }],
  jobs: { [MAIL_JOB]: mailJob },
  collections: [auditLog as never, auditHeads as never, auditSegments as never],
  background: [auditRetention],
  parts: [siemPart],
});
