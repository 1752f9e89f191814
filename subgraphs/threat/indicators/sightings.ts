import type { IngestSinks } from '../../../kit/engine/context.js';
import type { EventBatch, PackedEvent } from '../../../kit/engine/event-pack.js';
import { sightingRowId, threatSightings, type EventSeen, type HourSeen, type SightingRow } from './records.js';

const MOST_ACTIONS = 20;

type Seen = Omit<SightingRow, '_id' | 'tenant_id' | 'scan_run_id'>;

/** Notes what indicators may name of a batch of events. The same events again, and in any order, give the same. */
export const noteSightings: IngestSinks['events'] = async ({ services, auth, transaction }, { scan_run_id }, { packs }) => {
  const noted = notedOf(auth.tenant_id, packs);
  if (noted.size === 0) return 0;
  const rows = services.database.tenant(auth.tenant_id).collection(threatSightings);
  await transaction(async (within) => {
    const stored = await rows.find({ _id: { $in: [...noted.keys()] } }, { fields: ['hours', 'actions', 'last_at'], transaction: within });
    const byId = new Map(stored.map((row) => [row._id, row]));
    const updates = [...noted].map(([_id, seen]) => {
      const before = byId.get(_id);
      const merged = before === undefined ? seen : mergedOf(seen, before);
      return { _id, update: { $set: { ...merged, scan_run_id } }, upsert: true };
    });
    await rows.bulkUpdate(updates, { transaction: within });
  });
  return 0;
};

function notedOf(tenantId: string, packs: EventBatch['packs']): ReadonlyMap<string, Seen> {
  const noted = new Map<string, Seen>();
  for (const { events } of packs)
    for (const event of events)
      for (const { kind, value } of event.observables ?? []) {
        const seen = seenOf(event, kind, value);
        const _id = sightingRowId(tenantId, seen);
        const before = noted.get(_id);
        noted.set(_id, before === undefined ? seen : mergedOf(seen, before));
      }
  return noted;
}

function seenOf(event: PackedEvent, kind: Seen['kind'], value: string): Seen {
  const { provider, account_id = null, region, actor, actor_kind, action, time, event_id } = event;
  const seen = { at: time, id: event_id };
  const hours = [{ hour: time.getUTCHours(), first: seen, last: seen }];
  const day = time.toISOString().slice(0, 10);
  return { kind, value, provider, account_id, region, actor, actor_kind, day, hours, actions: [action], last_at: time };
}

/** Both together: the order in which they came does not show. */
function mergedOf(one: Seen, other: Pick<Seen, 'hours' | 'actions' | 'last_at'>): Seen {
  const actions = [...new Set([...other.actions, ...one.actions])].sort().slice(0, MOST_ACTIONS);
  const last_at = one.last_at > other.last_at ? one.last_at : other.last_at;
  return { ...one, actions, last_at, hours: mergedHours(one.hours, other.hours) };
}

function mergedHours(one: readonly HourSeen[], other: readonly HourSeen[]): HourSeen[] {
  const hours = new Map(other.map((hour) => [hour.hour, hour]));
  for (const hour of one) {
    const before = hours.get(hour.hour);
    const both = before && { hour: hour.hour, first: earlier(hour.first, before.first), last: later(hour.last, before.last) };
    hours.set(hour.hour, both ?? hour);
  }
  return [...hours.values()].sort((left, right) => left.hour - right.hour);
}

const isBefore = (one: EventSeen, other: EventSeen): boolean =>
  one.at.getTime() === other.at.getTime() ? one.id < other.id : one.at < other.at;
const earlier = (one: EventSeen, other: EventSeen): EventSeen => (isBefore(one, other) ? one : other);
const later = (one: EventSeen, other: EventSeen): EventSeen => (isBefore(one, other) ? other : one);
