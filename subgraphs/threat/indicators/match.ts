import type { EngineContext, IngestSinks } from '../../../kit/engine/context.js';
import { inBatches } from '../../../kit/engine/retention.js';
import { networksOf } from '../../../schema/observables.js';
import { eventsBetween } from './between.js';
import { sightedOf, type Valid } from './finding.js';
import { keyOf, NETWORKS, threatIndicators, threatSightings, type EventSeen, type IndicatorRow, type SightingRow } from './records.js';

/** Keys that are asked for at a time. */
const AT_ONCE = 1_000;
/** Indicators that are held of one value: those of which feeds are surest. */
const MOST_OF_KEY = 20;

/**
 * What indicators name in events: of the events of the run by all indicators, and of all events by the indicators of the run. Either may come first. What no indicator
 * says any more that has said it passes.
 */
export const sighted: IngestSinks['detected'] = async function* (context, { scan_run_id }) {
  const indicators = context.collection(threatIndicators);
  const [brought, network] = await Promise.all([
    indicators.findOne({ scan_run_id }, { fields: ['_id'] }),
    indicators.findOne({ key: { $gte: NETWORKS, $lt: `${NETWORKS}~` } }, { fields: ['_id'] }),
  ]);
  const rows = context.collection(threatSightings).scan(brought === null ? { scan_run_id } : {}, { sort: { _id: 1 }, batchSize: 500 });
  for await (const batch of inBatches(rows)) {
    context.signal.throwIfAborted();
    const keys = new Map(batch.map((sighting) => [sighting._id, keysOf(sighting, network !== null)]));
    const known = await indicatorsOf(context, new Set([...keys.values()].flat()));
    for (const sighting of batch) {
      const met = keys.get(sighting._id)!.flatMap((key) => known.get(key) ?? []);
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
};

function keysOf(sighting: SightingRow, hasNetworks: boolean): string[] {
  const own = keyOf(sighting);
  return sighting.kind === 'address' && hasNetworks ? [own, ...networksOf(sighting.value).map(keyOf)] : [own];
}

async function indicatorsOf(context: EngineContext, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, IndicatorRow[]>> {
  const known = new Map<string, IndicatorRow[]>();
  const all = [...keys];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const rows = context.collection(threatIndicators).scan({ key: { $in: all.slice(from, from + AT_ONCE) } }, { batchSize: 500 });
    for await (const row of rows) {
      const own = known.get(row.key) ?? [];
      known.set(row.key, own);
      own.push(row);
      if (own.length > MOST_OF_KEY) own.sort(surerFirst).pop();
    }
  }
  for (const own of known.values()) own.sort(surerFirst);
  return known;
}

const surenessOf = ({ revoked, confidence }: IndicatorRow): number => (revoked ? -2 : (confidence ?? -1));
/** A total order, so that the same indicators give the same finding. */
const surerFirst = (one: IndicatorRow, other: IndicatorRow): number =>
  surenessOf(other) - surenessOf(one) || (one._id < other._id ? -1 : 1);

/** The events of a sighting, as far as they are kept, from the time in which an indicator is valid. */
function eventsWithin({ hours }: SightingRow, { valid_from, valid_until }: IndicatorRow): EventSeen[] {
  return hours
    .flatMap(({ first, last }) => (first.id === last.id ? [first] : [first, last]))
    .filter(({ at }) => (valid_from === null || at >= valid_from) && (valid_until === null || at < valid_until));
}
