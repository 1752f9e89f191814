import type { Provider, Severity } from '../../../schema/model.js';
import { defineCollection } from '../../../kit/store/collection.js';
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

/** Who is told of which findings. `_id` is `<tenant>|<id>`. */
export interface NotificationRuleRow {
  _id: string;
  tenant_id: string;
  /** Chosen by the client. */
  id: string;
  name: string;
  event: RuleEvent;
  filter: RuleFilter;
  /** Where to: an integration, or people by mail. */
  integration_id: string | null;
  recipients: string[];
  /** Minutes between two messages, at least. */
  throttle_minutes: number;
  enabled: boolean;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** gathering: findings are added until it is due · sending: a worker is on it · waiting: for the next try · the rest is final. */
export type NotificationState = 'gathering' | 'sending' | 'waiting' | 'sent' | 'failed' | 'skipped';

/** One message of a rule, with its way to the other side. */
export interface NotificationRow {
  _id: string;
  tenant_id: string;
  rule_id: string;
  event: RuleEvent;
  state: NotificationState;
  /** When a worker takes it: due, or for the next try, or because the one before ended in the middle; null when it is final. */
  next_at: Date | null;
  /** When it was to be sent first; the throttle counts from it. */
  due_at: Date;
  total: number;
  by_severity: Partial<Record<Severity, number>>;
  /** The worst of the findings. */
  findings: DigestFinding[];
  attempts: number;
  error: string | null;
  created_at: Date;
  finished_at: Date | null;
}

/** A finding that a rule has told as overdue. `_id` is `<tenant>|<rule>|<engine>|<finding>|<when it came back>`. */
export interface OverdueMarkRow {
  _id: string;
  tenant_id: string;
  rule_id: string;
}

export const notificationRules = defineCollection<NotificationRuleRow>(
  'notification_rules',
  {
    id: String,
    name: String,
    event: String,
    filter: Object,
    integration_id: { type: String, default: null },
    recipients: [String],
    throttle_minutes: Number,
    enabled: Boolean,
    created_by: String,
    created_at: Date,
    updated_at: Date,
  },
  [{ key: { tenant_id: 1, id: 1 } }],
);

const notificationRows = defineCollection<NotificationRow>(
  'notifications',
  {
    rule_id: String,
    event: String,
    state: String,
    next_at: Date,
    due_at: Date,
    total: Number,
    by_severity: Object,
    findings: [Object],
    attempts: Number,
    error: String,
    created_at: Date,
    finished_at: Date,
  },
  [
    { key: { tenant_id: 1, rule_id: 1, created_at: -1 } },
    { key: { next_at: 1 }, acrossTenants: true },
    { key: { tenant_id: 1, created_at: 1 } },
  ],
);

export const notifications: typeof notificationRows = { ...notificationRows, formerIndexes: ['kept'] };

/** How long it is known which messages were sent. */
export const notificationRetention: RetentionRule = {
  what: 'notifications',
  setting: 'delivery_retention_days',
  standard: 90,
  collection: notifications as never,
  time: 'created_at',
  where: { next_at: null },
};

export const overdueMarks = defineCollection<OverdueMarkRow>('overdue_marks', { rule_id: String }, [{ key: { tenant_id: 1, rule_id: 1 } }]);

export const ruleRowId = (tenantId: string, id: string): string => `${tenantId}|${id}`;
