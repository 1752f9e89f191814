import { defineCollection, type RowOf } from '../../../kit/store/collection.js';
import { date, list, nullable, number, optional, text, textOf } from '../../../kit/store/fields.js';
import type { ActorKind, Provider } from '../../../schema/model.js';
import { tenantPrefix } from '../events/records.js';

/**
 * What rules have seen an actor do in an account on a day (UTC), or many at one address, whether it is a finding yet or not; `_id` is `<tenant>|<id of the finding>`.
 * Kept as long as the events are.
 */
export const cdrDetections = defineCollection(
  'cdr_detections',
  {
    rule_id: text,
    provider: textOf<Provider>(),
    account_id: nullable(text),
    region: text,
    /** Who acted; of a rule that counts by where events came from, their address. */
    actor: text,
    actor_kind: textOf<ActorKind>(),
    /** `2026-01-31`. */
    day: text,
    first_at: date,
    last_at: date,
    count: number,
    /** Of each of these the first few that were seen. */
    actors: optional(list(text)),
    actions: list(text),
    services: list(text),
    outcomes: list(text),
    sources: list(text),
    agents: list(text),
    resources: list(text),
    sessions: list(text),
    /** The run that brought its last event. */
    scan_run_id: text,
  },
  [{ key: { tenant_id: 1, scan_run_id: 1 } }, { key: { tenant_id: 1, last_at: 1 } }],
);
export type DetectionRow = RowOf<typeof cdrDetections>;

/** An event of a detection; `_id` is `<tenant>|<id of the finding>|<what stands in the id of the event behind the tenant>`, so that they lie in the order of time. */
export const cdrDetectionEvents = defineCollection(
  'cdr_detection_events',
  {
    at: date,
    /** What a rule that counts different values counts, as digests with a space between them; of a sequence, which steps the event may be. */
    value: optional(text),
  },
  [{ key: { tenant_id: 1, at: 1 } }],
);
export type DetectionEventRow = RowOf<typeof cdrDetectionEvents>;

export const detectionRowId = (tenantId: string, findingId: string): string => `${tenantPrefix(tenantId)}${findingId}`;

/** What the ids of a detection's events begin with. */
export const eventsOfDetection = (tenantId: string, findingId: string): string => `${tenantPrefix(tenantId)}${findingId}|`;
