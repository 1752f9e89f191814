import { BoundedCache } from '../../../kit/base/bounded-cache.js';
import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { bytes, date, flag, list, nullable, number, object, optional, text, textOf } from '../../../kit/store/fields.js';
import type { ActorKind, EventOutcome, Provider } from '../../../schema/model.js';
import { digestOf } from '../../../kit/store/row-id.js';

/**
 * An event of an audit log. `_id` is `<tenant>|<time>.<digest of provider and event id>`, so that it is unique by what its source calls it and rows lie in
 * the order of time: no index of the time is kept beside.
 */
export const cloudEvents = defineCollection(
  'cloud_events',
  {
    event_id: text,
    time: date,
    provider: textOf<Provider>(),
    account_id: nullable(text),
    region: text,
    log: text,
    service: text,
    action: text,
    outcome: textOf<EventOutcome>(),
    error: optional(text),
    actor: text,
    actor_kind: textOf<ActorKind>(),
    session: optional(text),
    chain: optional(list(text)),
    key: optional(text),
    source_ip: optional(text),
    user_agent: optional(text),
    request_id: optional(text),
    resources: optional(list(text)),
    /** Where its record lies. */
    pack: text,
    line: number,
  },
  [
    { key: { tenant_id: 1, actor: 1, _id: 1 } },
    { key: { tenant_id: 1, action: 1, _id: 1 } },
    { key: { tenant_id: 1, account_id: 1, _id: 1 } },
    { key: { tenant_id: 1, provider: 1, _id: 1 } },
    { key: { tenant_id: 1, outcome: 1, _id: 1 } },
    { key: { tenant_id: 1, resources: 1, _id: 1 }, options: { partialFilterExpression: { resources: { $exists: true } } } },
  ],
);
export type CloudEventRow = RowOf<typeof cloudEvents>;

/** Records of events that came together, packed; `_id` is `<tenant>|<time of the last event>.<digest>`. */
export const cloudEventRecords = defineCollection('cloud_event_records', {
  records: bytes,
  /** Lines that belong to no event of this pack: they were stored before, or refused. */
  skip: optional(list(number)),
});

/**
 * What an actor has done: by account, service and call, or by right where the log tells the rights that a call took. `_id` is
 * `<tenant>|<digest of provider and actor>|<digest of the rest>`, so that the rows of an actor lie together.
 */
export const cloudEventUsage = defineCollection(
  'cloud_event_usage',
  {
    provider: textOf<Provider>(),
    actor: text,
    actor_kind: textOf<ActorKind>(),
    account_id: nullable(text),
    service: text,
    action: text,
    /** `action` is a right in the words of the provider's policies. */
    is_right: flag,
    log: text,
    first_at: date,
    last_at: date,
    /** When it was last done and not denied; null while it always was. */
    used_at: nullable(date),
    count: number,
    denied: number,
    resources: list(text),
    /** Whether it was done on more resources than are named. */
    resources_cut: flag,
  },
  [{ key: { tenant_id: 1, last_at: 1 } }],
);
export type CloudEventUsageRow = RowOf<typeof cloudEventUsage>;

/** A time for which a log is held. */
export interface Span {
  from: Date;
  to: Date;
}

/** For which times a class of log of an account is held. `_id` is `<tenant>|<digest>`. */
export const cloudEventCoverage = defineCollection(
  'cloud_event_coverage',
  {
    provider: textOf<Provider>(),
    account_id: nullable(text),
    log: text,
    regions: list(text),
    spans: list(object<Span>()),
    last_at: date,
  },
  [{ key: { tenant_id: 1, provider: 1, account_id: 1, log: 1 } }, { key: { tenant_id: 1, last_at: 1 } }],
);
export type CloudEventCoverageRow = RowOf<typeof cloudEventCoverage>;

const digest = (length: number, ...parts: unknown[]): string => digestOf(parts, length);

const tenants = new BoundedCache<string>(1_000);
const actors = new BoundedCache<string>(20_000);

/** What the ids of a tenant's rows begin with; that two tenants have the same is harmless. */
export const tenantPrefix = (tenantId: string): string => tenants.get(tenantId) ?? tenants.set(tenantId, `${digest(8, tenantId)}|`);

/** A time as text that sorts as it does. */
export const timeText = (time: Date): string => time.getTime().toString(36).padStart(9, '0');

export const eventRowId = (tenantId: string, time: Date, provider: Provider, eventId: string): string =>
  `${tenantPrefix(tenantId)}${timeText(time)}.${digest(16, provider, eventId)}`;

export const packRowId = (tenantId: string, last: Date, ids: readonly string[]): string =>
  `${tenantPrefix(tenantId)}${timeText(last)}.${digest(16, ids)}`;

/** What the ids of an actor's usage begin with. */
export function actorPrefix(tenantId: string, provider: Provider, actor: string): string {
  const key = `${provider}\n${actor}`;
  return `${tenantPrefix(tenantId)}${actors.get(key) ?? actors.set(key, digest(16, provider, actor))}|`;
}

export const usageRowId = (
  tenantId: string,
  row: Pick<CloudEventUsageRow, 'provider' | 'actor' | 'account_id' | 'service' | 'action' | 'is_right'>,
): string => `${actorPrefix(tenantId, row.provider, row.actor)}${digest(12, row.account_id, row.is_right, row.service, row.action)}`;

export const coverageRowId = (tenantId: string, provider: Provider, account_id: string | null, log: string): string =>
  `${tenantPrefix(tenantId)}${digest(16, provider, account_id, log)}`;

/** The condition for rows of a tenant whose ids tell a time before another one. */
export const idsBefore = (tenantId: string, time: Date) => ({
  _id: { $gte: tenantPrefix(tenantId), $lt: `${tenantPrefix(tenantId)}${timeText(time)}` },
});
