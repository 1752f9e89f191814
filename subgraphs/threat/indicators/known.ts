import type { EngineContext } from '../../../kit/engine/context.js';
import { networksOf, type Observable } from '../../../schema/observables.js';
import { keyOf, NETWORKS, threatIndicators, type IndicatorRow } from './records.js';

/** Keys that are asked for at a time. */
const AT_ONCE = 1_000;
/** Indicators that are held of one value: those of which feeds are surest. */
const MOST_OF_KEY = 20;

/** What must be known of a tenant's indicators before values are held against them. */
export interface IndicatorsAtHand {
  /** Whether the run has brought or changed some. */
  readonly isBrought: boolean;
  /** Whether some name networks. */
  readonly hasNetworks: boolean;
}

/** @returns null where the tenant has no indicators */
export async function indicatorsAtHand(context: EngineContext, scan_run_id: string): Promise<IndicatorsAtHand | null> {
  const indicators = context.collection(threatIndicators);
  if ((await indicators.findOne({}, { fields: ['_id'] })) === null) return null;
  const [brought, network] = await Promise.all([
    indicators.findOne({ scan_run_id }, { fields: ['_id'] }),
    indicators.findOne({ key: { $gte: NETWORKS, $lt: `${NETWORKS}~` } }, { fields: ['_id'] }),
  ]);
  return { isBrought: brought !== null, hasNetworks: network !== null };
}

/**
 * The indicators of some values, for each of them and in its order, the surest first.
 * @param values as they are held, networks left out
 */
export async function indicatorsOf(
  context: EngineContext,
  values: readonly Observable[],
  { hasNetworks }: IndicatorsAtHand,
): Promise<IndicatorRow[][]> {
  const keys = values.map((value) => keysOf(value, hasNetworks));
  const known = await rowsOf(context, new Set(keys.flat()));
  return keys.map((own) => own.flatMap((key) => known.get(key) ?? []));
}

function keysOf(observable: Observable, hasNetworks: boolean): string[] {
  const own = keyOf(observable);
  return observable.kind === 'address' && hasNetworks ? [own, ...networksOf(observable.value).map(keyOf)] : [own];
}

async function rowsOf(context: EngineContext, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, IndicatorRow[]>> {
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
