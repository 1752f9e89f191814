import type { EngineContext } from '../../../kit/engine/context.js';
import type { Detected } from '../../../kit/engine/event-pack.js';
import type { RunStart } from '../../../kit/engine/ingest-input.js';
import { inBatches } from '../../../kit/engine/retention.js';
import { eventsBetween } from './between.js';
import { sightedOf, type Valid } from './finding.js';
import { indicatorsOf, type IndicatorsAtHand } from './known.js';
import { threatSightings, type EventSeen, type IndicatorRow, type SightingRow } from './records.js';

/**
 * What indicators name in events: of the events of the run by all indicators, and of all events by the indicators of the run. Either may come first. What no indicator
 * says any more that has said it passes.
 */
export async function* sighted(context: EngineContext, { scan_run_id }: RunStart, atHand: IndicatorsAtHand): AsyncGenerator<Detected> {
  const rows = context.collection(threatSightings).scan(atHand.isBrought ? {} : { scan_run_id }, { sort: { _id: 1 }, batchSize: 500 });
  for await (const batch of inBatches(rows)) {
    context.signal.throwIfAborted();
    const known = await indicatorsOf(context, batch, atHand);
    for (const [n, sighting] of batch.entries()) {
      const met = known[n]!;
      const isOfRun = met.some((one) => one.scan_run_id === scan_run_id);
      if (!isOfRun && sighting.scan_run_id !== scan_run_id) continue;
      const valid: Valid[] = [];
      for (const indicator of met) {
        if (indicator.revoked) continue;
        const within = eventsWithin(sighting, indicator);
        const events = within.length > 0 ? within : await eventsBetween(context, sighting, indicator);
        if (events.length > 0) valid.push({ indicator, events });
      }
      if (valid.length > 0 || isOfRun) yield sightedOf(sighting, valid, met);
    }
  }
}

/** The events of a sighting, as far as they are kept, from the time in which an indicator is valid. */
function eventsWithin({ hours }: SightingRow, { valid_from, valid_until }: IndicatorRow): EventSeen[] {
  return hours
    .flatMap(({ first, last }) => (first.id === last.id ? [first] : [first, last]))
    .filter(({ at }) => (valid_from === null || at >= valid_from) && (valid_until === null || at < valid_until));
}
