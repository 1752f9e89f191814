import type { AuditEntry } from '../../../kit/audit/entries.js';
import type { ReadFinding } from '../findings/reader.js';
import { findingOfTarget } from '../findings/target.js';
import type { WebhookFilter, WebhookRow } from './records.js';

/** Largest body that is sent, in bytes. */
export const MAX_PAYLOAD = 256 * 1024;

const isFinding = ({ action }: AuditEntry): boolean => action.startsWith('finding.');

/** Whether a webhook asked for events of this kind. What happened before it existed is none of its business. */
export const wants = ({ events, created_at }: WebhookRow, { action, timestamp }: AuditEntry): boolean =>
  timestamp >= created_at && (events.includes(action) || events.includes('*'));

/** Whether the event lies within the filter. The filter is about findings: other events pass, a finding that is gone passes an empty one only. */
export function passes(filter: WebhookFilter, entry: AuditEntry, finding: ReadFinding | undefined): boolean {
  if (!isFinding(entry)) return true;
  return (['severity', 'engine', 'provider', 'account_id'] as const).every((name) => {
    const wanted: readonly string[] = filter[name] ?? [];
    const value = finding?.[name];
    return wanted.length === 0 || (value != null && wanted.includes(value));
  });
}

/** The body of an event's message: type, time, tenant, and what the event is about. What would make it too large is left out. */
export function payloadOf(entry: AuditEntry, finding: ReadFinding | undefined): string {
  const body = (data: Record<string, unknown>) =>
    JSON.stringify({ type: entry.action, timestamp: entry.timestamp.toISOString(), tenant_id: entry.tenant_id, data });
  const text = body(isFinding(entry) ? findingData(entry, finding) : entryData(entry));
  if (Buffer.byteLength(text) <= MAX_PAYLOAD) return text;
  return body({ seq: entry.seq, target: entry.target ?? null, truncated: true });
}

/** A change of a finding. `status` is the one that the event brought about; the other facts are those of the moment of sending it out. */
function findingData({ seq, target, detail = {}, actor_email }: AuditEntry, finding: ReadFinding | undefined): Record<string, unknown> {
  const named = findingOfTarget(target);
  return {
    seq,
    finding_id: named?.finding_id ?? null,
    engine: named?.engine ?? null,
    ...(finding && factsOf(finding)),
    status: detail['to'] ?? null,
    previous_status: detail['from'] ?? null,
    note: detail['note'] ?? null,
    scan_run_id: detail['scan_run_id'] ?? null,
    actor_email,
  };
}

/** What stays true of a finding while a message waits to be sent. */
function factsOf({
  rule_id,
  title,
  severity,
  risk_score,
  provider,
  account_id,
  region,
  resource_type,
  resource_uid,
  resource_name,
}: ReadFinding) {
  return { rule_id, title, severity, risk_score, provider, account_id, region, resource_type, resource_uid, resource_name };
}

/** Any other event, as the audit log shows it. */
function entryData({ seq, actor_email, result, ...row }: AuditEntry): Record<string, unknown> {
  const { target = null, target_email = null, role = null, ip_address = null, detail = null, support = null, api_key_id = null } = row;
  return { seq, actor_email, target, target_email, role, ip_address, detail, support, api_key_id, result };
}
