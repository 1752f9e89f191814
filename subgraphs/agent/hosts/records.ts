import { createHash } from 'node:crypto';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, text } from '../../../kit/store/fields.js';

/** A token by which one host may enroll; `_id` is `<tenant_id>|<digest of the token>`, so that the token itself is stored nowhere. */
export const agentEnrollmentTokens = defineCollection(
  'agent_enrollment_tokens',
  {
    /** What is shown of it. */
    token_id: text,
    note: nullable(text),
    created_by: text,
    created_at: date,
    expires_at: date,
    used_at: nullable(date),
  },
  [{ key: { tenant_id: 1, expires_at: 1 } }],
);

/** An enrolled host agent; `_id` is `<tenant_id>|<agent_id>`. */
export const agentHosts = defineCollection(
  'agent_hosts',
  {
    agent_id: text,
    hostname: text,
    platform: nullable(text),
    agent_version: nullable(text),
    /** Ed25519, the 32 bytes in base64url. */
    public_key: text,
    enrolled_at: date,
    /** Who made the token that it enrolled with. */
    enrolled_by: text,
    last_report_at: nullable(date),
    last_format: nullable(text),
    last_scan_run_id: nullable(text),
  },
  [{ key: { tenant_id: 1, hostname: 1, agent_id: 1 } }, { key: { tenant_id: 1, last_report_at: 1 } }],
);
export type AgentHostRow = RowOf<typeof agentHosts>;

/** A report that was taken, by which it is not taken again; `_id` is `<tenant_id>|<agent_id>|<report_id>`. */
export const agentReports = defineCollection(
  'agent_reports',
  {
    agent_id: text,
    sha256: text,
    scan_run_id: text,
    /** Digests of the signatures that it was sent under: each is good for once. */
    signatures: list(text),
    received_at: date,
  },
  [{ key: { tenant_id: 1, received_at: 1 } }, { key: { tenant_id: 1, agent_id: 1 } }],
);
export type AgentReportRow = RowOf<typeof agentReports>;

export const hostRowId = (tenantId: string, agentId: string): string => `${tenantId}|${agentId}`;
export const reportRowId = (tenantId: string, agentId: string, reportId: string): string => `${tenantId}|${agentId}|${reportId}`;
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');
