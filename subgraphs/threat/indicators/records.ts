import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, flag, list, nullable, number, object, oneOf, text, textOf } from '../../../kit/store/fields.js';
import { digestOf } from '../../../kit/store/row-id.js';
import type { ActorKind, Provider } from '../../../schema/model.js';
import { OBSERVABLE_KINDS, type Observable, type ObservableKind } from '../../../schema/observables.js';

/** A value of an indicator; `_id` is `<tenant>|<digest of indicator and value>`. One that was taken back stays until its time is over, so that it stays taken back. */
export const threatIndicators = defineCollection(
  'threat_indicators',
  {
    indicator_id: text,
    /** `keyOf` the value: by which events find it. */
    key: text,
    kind: oneOf(...OBSERVABLE_KINDS),
    value: text,
    name: nullable(text),
    labels: list(text),
    confidence: nullable(number),
    valid_from: nullable(date),
    /** The first moment at which it is not valid any more. */
    valid_until: nullable(date),
    modified: nullable(date),
    /** Taken back by its feed, or a later version of its indicator does not name it. */
    revoked: flag,
    /** When it may be forgotten; null while it is valid without end. */
    ends_at: nullable(date),
    /** The run that brought what it says. */
    scan_run_id: text,
  },
  [
    { key: { tenant_id: 1, key: 1 } },
    { key: { tenant_id: 1, indicator_id: 1 } },
    { key: { tenant_id: 1, scan_run_id: 1 } },
    { key: { tenant_id: 1, ends_at: 1 } },
  ],
);
export type IndicatorRow = RowOf<typeof threatIndicators>;

/** The first and the last event of an hour (UTC). */
export interface HourSeen {
  hour: number;
  first: EventSeen;
  last: EventSeen;
}
export interface EventSeen {
  at: Date;
  /** What its log calls it. */
  id: string;
}

/** That an actor's events of a day (UTC) in an account showed a value that indicators may name; `_id` is `<tenant>|<digest>`. Kept as long as events are. */
export const threatSightings = defineCollection(
  'threat_sightings',
  {
    kind: textOf<ObservableKind>(),
    value: text,
    provider: textOf<Provider>(),
    account_id: nullable(text),
    region: text,
    actor: text,
    actor_kind: textOf<ActorKind>(),
    /** `2026-01-31`. */
    day: text,
    hours: list(object<HourSeen>()),
    /** The first few calls by name. */
    actions: list(text),
    last_at: date,
    /** The run that brought its last event. */
    scan_run_id: text,
  },
  [{ key: { tenant_id: 1, scan_run_id: 1 } }, { key: { tenant_id: 1, last_at: 1 } }],
);
export type SightingRow = RowOf<typeof threatSightings>;

/** What keys of networks begin with. */
export const NETWORKS = 'network.';

/** By what a value is found, however long it is. */
export const keyOf = ({ kind, value }: Observable): string => `${kind}.${digestOf(value)}`;

export const indicatorRowId = (tenantId: string, indicatorId: string, key: string): string => `${tenantId}|${digestOf([indicatorId, key])}`;

export const sightingRowId = (
  tenantId: string,
  { kind, value, provider, actor, account_id, day }: Pick<SightingRow, 'kind' | 'value' | 'provider' | 'actor' | 'account_id' | 'day'>,
): string => `${tenantId}|${digestOf([kind, value, provider, actor, account_id, day])}`;
