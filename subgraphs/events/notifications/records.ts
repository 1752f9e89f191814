import type { Provider, Severity } from '../../../schema/model.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { DUE_FIELDS, DUE_INDEX } from '../../../kit/work/due.js';
import { date, flag, list, nullable, number, object, text, textOf } from '../../../kit/store/fields.js';
import type { RuleEvent } from '../channels/digest.js';
import type { DigestFinding } from '../findings/digest-finding.js';
import type { RetentionRule } from '../../../kit/engine/retention-rule.js';

/** Which findings a rule is for: OR within one list, AND between them, all where a list is empty. */
export interface RuleFilter {
  /** View segments. */
  engine: string[];
  severity: Severity[];
  provider: Provider[];
  account_id: string[];
  rule_id: string[];
  resource_type: string[];
}

/** gathering: findings are added until it is due · sending: a worker is on it · waiting: for the next try · the rest is final. */
export type NotificationState = 'gathering' | 'sending' | 'waiting' | 'sent' | 'failed' | 'skipped';

/** Who is told of which findings. `_id` is `<tenant>|<id>`. */
export const notificationRules = defineCollection(
  'notification_rules',
  {
    /** Chosen by the client. */
    id: text,
    name: text,
    event: textOf<RuleEvent>(),
    filter: object<RuleFilter>(),
    /** Where to: an integration, or people by mail. */
    integration_id: nullable(text),
    recipients: list(text),
    /** Minutes between two messages, at least. */
    throttle_minutes: number,
    enabled: flag,
    created_by: text,
    created_at: date,
    updated_at: date,
  },
  [{ key: { tenant_id: 1, id: 1 } }],
);
export type NotificationRuleRow = RowOf<typeof notificationRules>;

/** One message of a rule, with its way to the other side. */
const notificationRows = defineCollection(
  'notifications',
  {
    rule_id: text,
    event: textOf<RuleEvent>(),
    state: textOf<NotificationState>(),
    ...DUE_FIELDS,
    /** When it was to be sent first; the throttle counts from it. */
    first_due_at: date,
    total: number,
    by_severity: object<Partial<Record<Severity, number>>>(),
    /** The worst of the findings. */
    findings: list(object<DigestFinding>()),
    attempts: number,
    error: nullable(text),
    created_at: date,
    finished_at: nullable(date),
  },
  [{ key: { tenant_id: 1, rule_id: 1, created_at: -1 } }, DUE_INDEX, { key: { tenant_id: 1, created_at: 1 } }],
);
export type NotificationRow = RowOf<typeof notificationRows>;

export const notifications: typeof notificationRows = { ...notificationRows, formerIndexes: ['kept', 'next_at_1'] };

/** How long it is known which messages were sent. */
export const notificationRetention: RetentionRule = {
  what: 'notifications',
  setting: 'delivery_retention_days',
  standard: 90,
  collection: notifications,
  time: 'created_at',
  where: { due_at: null },
};

/** A finding that a rule has sent as overdue. `_id` is `<tenant>|<rule>|<engine>|<finding>|<when it came back>`. */
export const overdueMarks = defineCollection(
  'overdue_marks',
  {
    rule_id: text,
  },
  [{ key: { tenant_id: 1, rule_id: 1 } }],
);
export type OverdueMarkRow = RowOf<typeof overdueMarks>;

export const ruleRowId = (tenantId: string, id: string): string => `${tenantId}|${id}`;
