import { allowancesOf } from '../../../kit/base/quotas.js';
import type { IngestSinks } from '../../../kit/engine/context.js';
import type { EventPack, PackedEvent } from '../../../kit/engine/event-pack.js';
import { repeatOnDuplicate, type TenantDatabase } from '../../../kit/store/database.js';
import { countUsage, readUsage, STORED_EVENTS } from '../../../kit/store/tenant-usage.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { noteCoverage } from './coverage.js';
import { cloudEventRecords, cloudEvents, eventRowId, packRowId, type CloudEventRow } from './records.js';
import { noteMatches, type MatchedEvent } from '../detections/note.js';
import { countUse } from './usage.js';

export { STORED_EVENTS };

/** A pack of which events are stored, under the ids of their rows. */
interface Fresh {
  readonly pack: EventPack;
  readonly events: readonly (readonly [id: string, event: PackedEvent])[];
}

/** Stores the events of a batch that are not stored yet, each with what follows from it, in one transaction: the same batch again changes nothing. */
export const ingestEvents: IngestSinks['events'] = async ({ services, auth, transaction }, { scan_run_id }, { packs, spans }) => {
  if (packs.length === 0) return 0;
  const tenant = services.database.tenant(auth.tenant_id);
  const allowed = allowancesOf(services.config, auth.plan).events;
  return transaction(async (within) => {
    const fresh = await freshOf(tenant, packs, within);
    const count = fresh.reduce((sum, { events }) => sum + events.length, 0);
    const room = count === 0 ? 0 : Math.max(0, allowed - ((await readUsage(tenant, STORED_EVENTS, within)) ?? 0));
    const taken = room < count ? firstOf(fresh, room) : fresh;
    const stored = Math.min(count, room);
    for (const one of taken) await store(tenant, one, within);
    if (stored > 0) {
      await countUse(
        tenant,
        taken.flatMap(({ events }) => events.map(([, event]) => event)),
        within,
      );
      await countUsage(tenant, STORED_EVENTS, stored, { transaction: within });
    }
    await noteMatches(tenant, scan_run_id, matchedOf(tenant, packs, fresh, taken), within);
    // what was left out is not covered
    if (stored === count) await noteCoverage(tenant, spans, within);
    return count - stored;
  });
};

/** The events of packs that are not stored yet, each once. */
async function freshOf(tenant: TenantDatabase, packs: readonly EventPack[], transaction: TransactionOf): Promise<Fresh[]> {
  const known = new Set<string>();
  const withIds = packs.map((pack) => ({
    pack,
    events: pack.events.map((event) => [eventRowId(tenant.tenantId, event.time, event.provider, event.event_id), event] as const),
  }));
  for (const { events } of withIds) {
    const ids = events.map(([id]) => id);
    for (const { _id } of await tenant.collection(cloudEvents).find({ _id: { $in: ids } }, { fields: ['_id'], transaction }))
      known.add(_id);
  }
  const isFresh = (id: string) => !known.has(id) && Boolean(known.add(id));
  return withIds
    .map(({ pack, events }) => ({ pack, events: events.filter(([id]) => isFresh(id)) }))
    .filter(({ events }) => events.length > 0);
}

/** The events in which rules see something, but for those that were left out: also those that were stored before, by other rules perhaps. */
function matchedOf(tenant: TenantDatabase, packs: readonly EventPack[], fresh: readonly Fresh[], taken: readonly Fresh[]): MatchedEvent[] {
  const matched = packs.flatMap(({ events }) =>
    events.flatMap((event) => {
      if (!event.matches) return [];
      return [{ id: eventRowId(tenant.tenantId, event.time, event.provider, event.event_id), event, matches: event.matches }];
    }),
  );
  if (matched.length === 0 || taken === fresh) return matched;
  const idsOf = (some: readonly Fresh[]) => new Set(some.flatMap(({ events }) => events.map(([id]) => id)));
  const [all, kept] = [idsOf(fresh), idsOf(taken)];
  return matched.filter(({ id }) => !all.has(id) || kept.has(id));
}

function firstOf(fresh: readonly Fresh[], room: number): Fresh[] {
  let left = room;
  return fresh.flatMap(({ pack, events }) => {
    const taken = events.slice(0, left);
    left -= taken.length;
    return taken.length > 0 ? [{ pack, events: taken }] : [];
  });
}

async function store(tenant: TenantDatabase, { pack: { records, lines }, events }: Fresh, transaction: TransactionOf): Promise<void> {
  const { tenantId: tenant_id } = tenant;
  const last = new Date(Math.max(...events.map(([, { time }]) => time.getTime())));
  const ids = events.map(([id]) => id);
  const pack = packRowId(tenant_id, last, ids);
  const rows = events.map(
    ([
      _id,
      { position: _position, rights: _rights, matches: _matches, observables: _observables, account_id, ...event },
    ]): CloudEventRow => ({
      _id,
      tenant_id,
      account_id: account_id ?? null,
      ...event,
      pack,
    }),
  );
  const own = new Set(events.map(([, { line }]) => line));
  const skip = Array.from({ length: lines }, (_, line) => line).filter((line) => !own.has(line));
  const packed = { _id: pack, tenant_id, records: Buffer.from(records), ...(skip.length > 0 && { skip }) };
  await tenant.collection(cloudEvents).insertMany(rows, { transaction }).catch(repeatOnDuplicate);
  await tenant.collection(cloudEventRecords).insert(packed, { transaction }).catch(repeatOnDuplicate);
}
