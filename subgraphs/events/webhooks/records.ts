import type { AuditAction } from '../../../kit/audit/entry.js';
import type { RetentionRule } from '../../../kit/engine/retention-rule.js';
import { createHash } from 'node:crypto';
import type { Provider, Severity } from '../../../schema/model.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, number, object, oneOf, text, textOf } from '../../../kit/store/fields.js';

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
export const webhooks = defineCollection(
  'webhooks',
  {
    webhook_id: text,
    url: text,
    description: nullable(text),
    /** Audit actions, or `*` for every one. */
    events: list(textOf<AuditAction | '*'>()),
    filter: object<WebhookFilter>(),
    state: oneOf('active', 'paused'),
    pause_reason: nullable(text),
    /** Newest first. */
    secrets: list(object<SealedSecret>()),
    last_success_at: nullable(date),
    last_failure_at: nullable(date),
    last_error: nullable(text),
    consecutive_failures: number,
    created_by: text,
    created_at: date,
    updated_at: date,
  },
  [{ key: { tenant_id: 1, created_at: 1 } }],
);
export type WebhookRow = RowOf<typeof webhooks>;

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
const deliveryRows = defineCollection(
  'webhook_deliveries',
  {
    /** The `webhook-id` of the message. */
    delivery_id: text,
    webhook_id: text,
    /** Position of the event in the tenant's audit log. */
    seq: number,
    event: textOf<AuditAction>(),
    /** The body as it is sent, byte for byte. */
    payload: text,
    state: textOf<DeliveryState>(),
    attempts: list(object<WebhookAttempt>()),
    /** Tries since `requested_at`. */
    tries: number,
    /** When it was queued: with the event, or again by hand. A day later it is given up. */
    requested_at: date,
    /** When it is to be tried; null when it is sent or dead. */
    next_at: nullable(date),
    sent_at: nullable(date),
    created_at: date,
  },
  [
    { key: { tenant_id: 1, webhook_id: 1, next_at: 1 } },
    { key: { tenant_id: 1, webhook_id: 1, seq: -1 } },
    { key: { tenant_id: 1, webhook_id: 1, state: 1, seq: -1 } },
    { key: { tenant_id: 1, created_at: 1 } },
  ],
);
export type DeliveryRow = RowOf<typeof deliveryRows>;

export const deliveries: typeof deliveryRows = { ...deliveryRows, formerIndexes: ['retention'] };

/** How long the ledger keeps what is sent or given up. */
export const deliveryRetention: RetentionRule = {
  what: 'webhook deliveries',
  setting: 'delivery_retention_days',
  standard: 30,
  collection: deliveries,
  time: 'created_at',
  where: { next_at: null },
};

export const webhookRowId = (tenantId: string, webhookId: string): string => `${tenantId}|${webhookId}`;
export const deliveryRowId = (tenantId: string, deliveryId: string): string => `${tenantId}|${deliveryId}`;

/** The id of an event's message to a webhook: the same event again gives the same id. */
export const deliveryId = (webhookId: string, seq: number): string =>
  `msg_${createHash('sha256').update(`${webhookId}/${seq}`).digest('hex').slice(0, 32)}`;
