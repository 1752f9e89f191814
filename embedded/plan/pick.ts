import type { Collection } from '../storage/collection.js';
import type { View } from '../storage/database.js';
import type { FieldBounds } from './bounds.js';
import type { IndexScan } from './plan.js';

/** A filter this selective is sorted in memory rather than walking an index in sort order. */
const FEW_KEYS = 1_000;
/** How far the keys of walks are counted that are compared with each other. */
const MANY_KEYS = 5_000;

/** A walk that may serve. */
export interface Candidate extends IndexScan {
  /** Equal components count 2, a range 1, a test of keys less. */
  readonly score: number;
}

/** The walk to take of those that may serve; undefined where there is none. */
export async function pickBest(
  collection: Collection,
  view: View,
  candidates: readonly Candidate[],
  bounds: readonly FieldBounds[],
  wantsSort: boolean,
): Promise<Candidate | undefined> {
  const byScore = (list: readonly Candidate[]): Candidate | undefined =>
    list.reduce<Candidate | undefined>(
      (best, c) => (!best || c.score > best.score || (c.score === best.score && preferred(c, best)) ? c : best),
      undefined,
    );
  const best = byScore(candidates);
  if (!best || candidates.length === 1) return best;
  const keys = (scan: Candidate, most: number): Promise<number> => collection.estimates.keysOf(view, scan, most);
  if (!wantsSort) return (await narrowId(candidates, best, bounds, keys)) ?? best;
  const sorting = byScore(candidates.filter((c) => c.sorted));
  // A walk whose every key matches stops at the limit; any other may go through the whole collection for a few documents.
  if (sorting?.exact && !sorting.test && sorting.score >= best.score) return sorting;
  return (await narrowest(candidates, keys)) ?? (await narrower(candidates, sorting, keys)) ?? best;
}

type CountKeys = (scan: Candidate, most: number) => Promise<number>;

/** The walk over a range of `_id` that has two ends, unless the other has few keys and fewer: what stands in such a range belongs together. */
async function narrowId(
  candidates: readonly Candidate[],
  best: Candidate,
  bounds: readonly FieldBounds[],
  keysOf: CountKeys,
): Promise<Candidate | undefined> {
  const ends = bounds.flatMap(({ path, source }) => (path === '_id' && source.kind === 'compare' ? source.operator : []));
  if (!ends.some((end) => end.startsWith('$gt')) || !ends.some((end) => end.startsWith('$lt'))) return undefined;
  const byId = candidates.find(({ index }) => index.spec.name === '_id_');
  if (byId === undefined || byId === best) return byId;
  return (await keysOf(best, FEW_KEYS)) < (await keysOf(byId, FEW_KEYS)) ? best : byId;
}

/** The walk over the fewest keys, where they are few enough to be sorted in memory. */
async function narrowest(candidates: readonly Candidate[], keysOf: CountKeys): Promise<Candidate | undefined> {
  const counts = await Promise.all(candidates.map((c) => keysOf(c, FEW_KEYS + 1)));
  const least = Math.min(...counts);
  return least <= FEW_KEYS ? candidates[counts.indexOf(least)] : undefined;
}

/** Of walks in sort order that the filter bounds alike, the one over the fewest keys. */
async function narrower(
  candidates: readonly Candidate[],
  sorting: Candidate | undefined,
  keysOf: CountKeys,
): Promise<Candidate | undefined> {
  if (!sorting) return undefined;
  const alike = candidates.filter((c) => c.sorted && c.score === sorting.score);
  if (alike.length === 1) return sorting;
  const counts = await Promise.all(alike.map((c) => keysOf(c, MANY_KEYS)));
  return alike[counts.indexOf(Math.min(...counts))];
}

/** Between plans of the same score: the one in sort order, then the exact one, then the narrower index. */
function preferred(a: Candidate, b: Candidate): boolean {
  if (a.sorted !== b.sorted) return a.sorted;
  if (a.exact !== b.exact) return a.exact;
  return a.index.components.length < b.index.components.length;
}
