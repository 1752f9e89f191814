import type { PackedEvent } from '../../../kit/engine/event-pack.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { BulkUpdate, TransactionOf } from '../../../kit/store/query.js';
import { cloudEventUsage, usageRowId, type CloudEventUsageRow } from './records.js';

/** Resources that are named of one call of one actor. */
const MOST_RESOURCES = 25;

type Use = Omit<CloudEventUsageRow, '_id' | 'tenant_id' | 'resources' | 'resources_cut'> & { resources: Set<string> };

/** Counts events that were stored for the first time among what their actors have done, in the transaction that stores them. */
export async function countUse(tenant: TenantDatabase, events: readonly PackedEvent[], transaction: TransactionOf): Promise<void> {
  const uses = usesOf(events);
  const byId = new Map([...uses.values()].map((use) => [usageRowId(tenant.tenantId, use), use]));
  const rows = tenant.collection(cloudEventUsage);
  const stored = await rows.find({ _id: { $in: [...byId.keys()] } }, { fields: ['resources', 'resources_cut'], transaction });
  const known = new Map(stored.map((row) => [row._id, row]));
  await rows.bulkUpdate(
    [...byId].map(([_id, use]) => updateOf(_id, use, known.get(_id))),
    { transaction },
  );
}

function usesOf(events: readonly PackedEvent[]): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  const note = (event: PackedEvent, service: string, action: string, is_right: boolean, resources: readonly string[]) => {
    const { provider, actor, time, account_id = null } = event;
    const key = `${provider}\n${actor}\n${account_id}\n${is_right}\n${service}\n${action}`;
    const use = uses.get(key) ?? begun(event, service, action, is_right);
    uses.set(key, use);
    if (time < use.first_at) use.first_at = time;
    if (time > use.last_at) use.last_at = time;
    use.count += 1;
    if (event.outcome === 'denied') use.denied += 1;
    else {
      if (use.used_at === null || time > use.used_at) use.used_at = time;
      for (const resource of resources) if (use.resources.size <= MOST_RESOURCES) use.resources.add(resource);
    }
  };
  for (const event of events) {
    note(event, event.service, event.action, false, event.resources ?? []);
    for (const { right, resource } of event.rights ?? [])
      note(event, serviceOf(right), right, true, resource === undefined ? [] : [resource]);
  }
  return uses;
}

const serviceOf = (right: string): string => right.split(/[:./]/)[0]!;

function begun({ provider, actor, actor_kind, log, time, ...event }: PackedEvent, service: string, action: string, is_right: boolean): Use {
  const what = { provider, actor, actor_kind, account_id: event.account_id ?? null, service, action, is_right, log };
  return { ...what, first_at: time, last_at: time, used_at: null, count: 0, denied: 0, resources: new Set() };
}

function updateOf(_id: string, use: Use, stored: Pick<CloudEventUsageRow, 'resources' | 'resources_cut'> | undefined): BulkUpdate {
  const { first_at, last_at, used_at, count, denied, resources, actor_kind, log, ...key } = use;
  const all = new Set([...(stored?.resources ?? []), ...resources]);
  const named = [...all].slice(0, MOST_RESOURCES);
  const update = {
    $set: { ...key, actor_kind, log, resources: named, resources_cut: (stored?.resources_cut ?? false) || all.size > named.length },
    $min: { first_at },
    $max: { last_at, used_at },
    $inc: { count, denied },
  };
  return { _id, update, upsert: true };
}
