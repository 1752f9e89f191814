import type { SeenAsset } from '../../../kit/engine/ingest-input.js';
import type { AssetFacts, WeighedFacts } from '../../../schema/facts.js';
import { isLive } from '../presence/outranked.js';

/** Whose word stands against the facts. */
interface Described {
  source?: SeenAsset['source'] | null;
  observed_at?: Date | null | undefined;
}

/**
 * What scanners have told, against what describes a resource: a scanner has looked, so that it goes before a plan, a state, and what was looked at earlier.
 * What describes it now and is of the same time or later is only filled.
 */
export function weighedFacts(facts: AssetFacts | undefined, described: Described | undefined): { facts?: WeighedFacts } {
  if (facts === undefined) return {};
  const looked = described?.source && isLive(described.source) ? (described.observed_at?.getTime() ?? 0) : -Infinity;
  const weigh = (fields: AssetFacts[string]) =>
    Object.fromEntries(Object.entries(fields).map(([field, { value, at }]) => [field, { value, first: at.getTime() > looked }]));
  return { facts: Object.fromEntries(Object.entries(facts).map(([facet, fields]) => [facet, weigh(fields)])) };
}
