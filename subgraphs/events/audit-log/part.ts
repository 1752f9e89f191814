import { auditHeads, auditLog } from '../../../kit/audit/audit.js';
import { auditEpochs, auditVerifications } from '../../../kit/audit/records.js';
import { auditSegments } from '../../../kit/audit/segments.js';
import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { auditRetention } from './retention.js';
import { auditRows, type AuditRowsArguments } from './rows.js';
import { auditVerification, auditVerificationOf } from './verification.js';
import { listAuditLog, type AuditFilter } from './service.js';

/** What happened in a tenant. */
export const auditLogPart: EnginePart = {
  prefixes: ['audit-logs'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: {
      audit_logs: (_, args: AuditFilter, context) => listAuditLog(context, args),
      audit_verification: (_, _args, context) => auditVerificationOf(context),
      audit_rows: (_, args: AuditRowsArguments, context) => auditRows(context, args),
    },
  },
  routes: [
    { method: 'GET', path: '/audit-logs', field: 'audit_logs', tag: 'audit' },
    { method: 'GET', path: '/audit-logs/verification', field: 'audit_verification', tag: 'audit' },
  ],
  collections: [auditLog, auditHeads, auditSegments, auditEpochs, auditVerifications],
  background: [auditRetention, auditVerification],
};
