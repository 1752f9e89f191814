import { createHash } from 'node:crypto';
import type { Provider, Severity } from '../../../schema/model.js';
import type { AuditAction } from '../../../kit/audit/entry.js';
import { defineCollection } from '../../../kit/store/collection.js';
import type { RetentionRule } from '../../../kit/engine/retention-rule.js';

/** Which events about findings a webhook wants; an absent or empty list does not narrow. */
export interface WebhookFilter {
  severity?: Severity[];
  /** View segments. */
  engine?: string[];
  provider?: Provider[];
  account_id?: string[];
}

/** A signing secret at rest. */
export interface SealedSecret {
  /** Sealed for this webhook; never serialized. */
  sealed: string;
  /** Until when it signs beside its successor; null for the one in force. */
  until: Date | null;
}

/** `_id` is `<tenant>|<webhook_id>`. */
export interface WebhookRow {
  _id: string;
  tenant_id: string;
  webhook_id: string;
  url: string;
  description: string | null;
  /** Audit actions, or `*` for every one. */
  events: (AuditAction | '*')[];
  filter: WebhookFilter;
  state: 'active' | 'paused';
  pause_reason: string | null;
  /** Newest first. */
  secrets: SealedSecret[];
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_error: string | null;
  consecutive_failures: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export const webhooks = defineCollection<WebhookRow>(
  'webhooks',
  {
    webhook_id: String,
    url: String,
    description: String,
    events: [String],
    filter: Object,
    state: String,
    pause_reason: String,
    secrets: [Object],
    last_success_at: Date,
    last_failure_at: Date,
    last_error: String,
    consecutive_failures: Number,
    created_by: String,
    created_at: Date,
    updated_at: Date,
  },
  [{ key: { tenant_id: 1, created_at: 1 } }],
);

/** One try at a delivery. */
export interface WebhookAttempt {
  at: Date;
  /** HTTP status; null when there was no answer. */
  status: number | null;
  latency_ms: number;
  /** Why it failed, in words of ours; null when it did not. */
  error: string | null;
  /** The beginning of the answer's body. */
  response: string | null;
}

/** Not tried yet · answered with 2xx · tried, to be tried again · given up. */
export const DELIVERY_STATES = ['pending', 'sent', 'failed', 'dead'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One event for one webhook. `_id` is `<tenant>|<delivery_id>`. */
export interface DeliveryRow {
  _id: string;
  tenant_id: string;
  /** The `webhook-id` of the message. */
  delivery_id: string;
  webhook_id: string;
  /** Position of the event in the tenant's audit log. */
  seq: number;
  event: AuditAction;
  /** The body as it is sent, byte for byte. */
  payload: string;
  state: DeliveryState;
  attempts: WebhookAttempt[];
  /** Tries since `requested_at`. */
  tries: number;
  /** When it was queued: with the event, or again by hand. A day later it is given up. */
  requested_at: Date;
  /** When it is to be tried; null when it is sent or dead. */
  next_at: Date | null;
  sent_at: Date | null;
  created_at: Date;
}

const deliveryRows = defineCollection<DeliveryRow>(
  'webhook_deliveries',
  {
    delivery_id: String,
    webhook_id: String,
    seq: Number,
    event: String,
    payload: String,
    state: String,
    attempts: [Object],
    tries: Number,
    requested_at: Date,
    next_at: Date,
    sent_at: Date,
    created_at: Date,
  },
  [
    { key: { tenant_id: 1, webhook_id: 1, next_at: 1 } },
    { key: { tenant_id: 1, webhook_id: 1, seq: -1 } },
    { key: { tenant_id: 1, webhook_id: 1, state: 1, seq: -1 } },
    { key: { tenant_id: 1, created_at: 1 } },
  ],
);

export const deliveries: typeof deliveryRows = { ...deliveryRows, formerIndexes: ['retention'] };

/** How long the ledger keeps what is sent or given up. */
export const deliveryRetention: RetentionRule = {
  what: 'webhook deliveries',
  setting: 'delivery_retention_days',
  standard: 30,
  collection: deliveries as never,
  time: 'created_at',
  where: { next_at: null },
};

export const webhookRowId = (tenantId: string, webhookId: string): string => `${tenantId}|${webhookId}`;
export const deliveryRowId = (tenantId: string, deliveryId: string): string => `${tenantId}|${deliveryId}`;

/** The id of an event's message to a webhook: the same event again gives the same id. */
export const deliveryId = (webhookId: string, seq: number): string =>
  `msg_${createHash('sha256').update(`${webhookId}/${seq}`).digest('hex').slice(0, 32)}`;
