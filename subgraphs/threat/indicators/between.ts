import type { EngineContext } from '../../../kit/engine/context.js';
import { asTenant } from '../../../kit/engine/create-context.js';
import { defineOperation, runOperation } from '../../../kit/engine/operation.js';
import { observablesOf } from '../../../schema/observables.js';
import type { EventSeen, IndicatorRow, SightingRow } from './records.js';

/** Events of a page, and pages of an hour that are looked at. */
const PAGE = 200;
const MOST_PAGES = 10;

interface Told {
  event_id: string;
  time: string;
  source_ip: string | null;
  account_id: string | null;
  record: unknown;
}

const eventsOf = defineOperation<{ actor: string; after: string; before: string; page: number; page_size: number }, { items: Told[] }>(
  'cdr',
  `query($actor: String!, $after: DateTime!, $before: DateTime!, $page: Int!, $page_size: Int!) {
    result: cdr_events(actor: [$actor], after: $after, before: $before, page: $page, page_size: $page_size) {
      items { event_id time source_ip account_id record }
    }
  }`,
);

/**
 * The latest event that showed the value of a sighting while an indicator was valid that was valid neither at the first nor at the last such event of an hour: what lies
 * between these two is in the log alone.
 */
export async function eventsBetween(
  context: EngineContext,
  sighting: SightingRow,
  { valid_from, valid_until }: IndicatorRow,
): Promise<EventSeen[]> {
  for (const { first, last } of [...sighting.hours].reverse()) {
    const after = valid_from === null || valid_from < first.at ? first.at : valid_from;
    const before = valid_until === null || valid_until > last.at ? last.at : valid_until;
    if (after >= before) continue;
    const seen = await lastBetween(context, sighting, after, before);
    if (seen !== null) return [seen];
  }
  return [];
}

async function lastBetween(context: EngineContext, sighting: SightingRow, after: Date, before: Date): Promise<EventSeen | null> {
  const { actor, account_id, kind, value } = sighting;
  const asked = { actor, after: after.toISOString(), before: before.toISOString(), page_size: PAGE };
  for (let page = 1; page <= MOST_PAGES; page++) {
    // what rests on events is the tenant's, whoever has imported the feed
    const { items } = await runOperation(asTenant(context), eventsOf, { ...asked, page });
    for (const event of items) {
      if (event.account_id !== account_id) continue;
      const shown = observablesOf(event.source_ip ?? undefined, JSON.stringify(event.record));
      if (shown.some((one) => one.kind === kind && one.value === value)) return { at: new Date(event.time), id: event.event_id };
    }
    if (items.length < PAGE) return null;
  }
  return null;
}
