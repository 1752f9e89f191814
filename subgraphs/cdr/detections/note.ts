import type { EventMatch, PackedEvent } from '../../../kit/engine/event-pack.js';
import { findingId } from '../../../kit/findings/row.js';
import type { TenantDatabase } from '../../../kit/store/database.js';
import type { BulkUpdate, TransactionOf } from '../../../kit/store/query.js';
import { tenantPrefix } from '../events/records.js';
import {
  cdrDetectionEvents,
  cdrDetections,
  detectionRowId,
  eventsOfDetection,
  type DetectionEventRow,
  type DetectionRow,
} from './records.js';

/** An event in which rules see something, with the id of its row. */
export interface MatchedEvent {
  readonly id: string;
  readonly event: PackedEvent;
  readonly matches: readonly EventMatch[];
}

/** The engine that holds the findings: what notes and raises them runs within an import, which is another's. */
export const DETECTIONS = 'cdr';

/** What is kept of each list of a detection. */
const MOST = { actors: 20, actions: 20, services: 10, outcomes: 3, sources: 20, agents: 10, resources: 30, sessions: 10 } as const;
type ListName = keyof typeof MOST;
const LISTS = Object.keys(MOST) as ListName[];

/** What one batch tells of a detection. */
interface Noted {
  readonly first: PackedEvent;
  readonly rule_id: string;
  /** Who acted, or where from. */
  readonly subject: string;
  readonly day: string;
  first_at: Date;
  last_at: Date;
  links: DetectionEventRow[];
  readonly lists: Record<ListName, Set<string>>;
}

/** What tells detections of one rule and actor apart: the account and the day (UTC). */
export const discriminatorOf = ({ account_id, day }: Pick<DetectionRow, 'account_id' | 'day'>): string => `${account_id ?? ''}|${day}`;

/** Notes what rules see in events, in the transaction that stores them. An event counts once for each rule, however often it is brought. */
export async function noteMatches(
  tenant: TenantDatabase,
  scan_run_id: string,
  matched: readonly MatchedEvent[],
  transaction: TransactionOf,
): Promise<void> {
  if (matched.length === 0) return;
  const noted = notedOf(tenant.tenantId, matched);
  const links = tenant.collection(cdrDetectionEvents);
  const ids = [...noted.values()].flatMap(({ links: own }) => own.map(({ _id }) => _id));
  const known = new Set((await links.find({ _id: { $in: ids } }, { fields: ['_id'], transaction })).map(({ _id }) => _id));
  for (const one of noted.values()) one.links = one.links.filter(({ _id }) => !known.has(_id));
  await links.insertMany(
    [...noted.values()].flatMap((one) => one.links),
    { transaction },
  );
  const rows = tenant.collection(cdrDetections);
  const stored = new Map(
    (await rows.find({ _id: { $in: [...noted.keys()] } }, { fields: LISTS, transaction })).map((row) => [row._id, row]),
  );
  await rows.bulkUpdate(
    [...noted].map(([_id, one]) => updateOf(_id, one, stored.get(_id), scan_run_id)),
    { transaction },
  );
}

function notedOf(tenantId: string, matched: readonly MatchedEvent[]): Map<string, Noted> {
  const noted = new Map<string, Noted>();
  const seen = new Set<string>();
  for (const { id, event, matches } of matched)
    for (const { rule_id, value, address } of matches) {
      const subject = address ?? event.actor;
      const day = event.time.toISOString().slice(0, 10);
      const identity = {
        rule_id,
        resource_uid: subject,
        discriminator: discriminatorOf({ account_id: event.account_id ?? null, day }),
      };
      const finding = findingId(DETECTIONS, identity);
      const rowId = detectionRowId(tenantId, finding);
      const one = noted.get(rowId) ?? begun(event, rule_id, subject, day);
      noted.set(rowId, one);
      const link = `${eventsOfDetection(tenantId, finding)}${id.slice(tenantPrefix(tenantId).length)}`;
      if (seen.has(link)) continue;
      seen.add(link);
      one.links.push({ _id: link, tenant_id: tenantId, at: event.time, ...(value !== undefined && { value }) });
      extend(one, event);
    }
  return noted;
}

const begun = (first: PackedEvent, rule_id: string, subject: string, day: string): Noted => ({
  ...{ first, rule_id, subject, day, first_at: first.time, last_at: first.time, links: [] },
  lists: Object.fromEntries(LISTS.map((name) => [name, new Set<string>()])) as Record<ListName, Set<string>>,
});

function extend(one: Noted, event: PackedEvent): void {
  if (event.time < one.first_at) one.first_at = event.time;
  if (event.time > one.last_at) one.last_at = event.time;
  const { actor, action, service, outcome, source_ip, user_agent, resources, session } = event;
  const values: Record<ListName, readonly (string | undefined)[]> = {
    ...{ actors: [actor], actions: [action], services: [service], outcomes: [outcome], sources: [source_ip] },
    ...{ agents: [user_agent], sessions: [session] },
    resources: resources ?? [],
  };
  for (const name of LISTS)
    for (const value of values[name]) if (value !== undefined && one.lists[name].size < MOST[name]) one.lists[name].add(value);
}

function updateOf(_id: string, one: Noted, stored: Pick<DetectionRow, ListName> | undefined, scan_run_id: string): BulkUpdate {
  const { first, rule_id, subject, day, first_at, last_at, links, lists } = one;
  const { provider, account_id = null, region, actor_kind } = first;
  const named = Object.fromEntries(
    LISTS.map((name) => [name, [...new Set([...(stored?.[name] ?? []), ...lists[name]])].slice(0, MOST[name])]),
  );
  const update = {
    $setOnInsert: { rule_id, day, provider, account_id, region, actor: subject, actor_kind },
    $set: { ...named, scan_run_id },
    $min: { first_at },
    $max: { last_at },
    $inc: { count: links.length },
  };
  return { _id, update, upsert: true };
}
