// The thread that makes the graph of an estate and looks for paths in it: a large estate holds up nobody, and the work can be ended.
import type { AttackGraph } from '../../kit/graph/graph.js';
import { findPaths, type SearchResult } from '../../kit/graph/search.js';
import { serveThread } from '../../kit/work/thread-side.js';
import { assemble } from './estate/assemble.js';
import { draftOf, identityOf, type PathDraft, type PathIdentity } from './draft.js';
import { Estate } from './estate/estate.js';
import { jewelsOf } from './estate/jewels.js';
import { placesOf, vulnerablePlaces, weakOf, wonFromOutside } from './estate/places.js';
import type { EstatePart } from './estate/types.js';

/** A jewel that nothing leads to is no place of the graph, and a target all the same. */
const basisOf = (estate: Estate, graph: AttackGraph): PathBasis => ({
  entries: graph.out.starts[1]! - graph.out.starts[0]!,
  targets: new Set([...jewelsOf(estate).keys(), ...[...graph.jewels.keys()].map((node) => graph.nodes[node]!.uid)]).size,
});

/** Paths that are told at a time. */
const AT_ONCE = 100;

export type PathsRequest =
  | { add: EstatePart }
  | { places: true }
  | { placesOf: readonly string[] }
  | { won: true }
  | { weakOf: readonly string[] }
  | { paths: { from: number } }
  | { leftOut: true }
  | { basis: true };
/** What there was to search: steps from outside, and targets. */
export interface PathBasis {
  readonly entries: number;
  readonly targets: number;
}
export type PathsReply =
  | null
  /** Of what vulnerabilities are asked for. */
  | { places: string[] }
  /** What was won from outside, or is weak. */
  | { uids: string[] }
  | { items: PathDraft[]; next: number | null }
  | PathBasis
  /** What a bound left out: single paths, and everything that leads to some jewels. */
  | { paths: PathIdentity[]; jewels: string[] };

serveThread(() => {
  const estate = new Estate();
  let made: { graph: AttackGraph; result: SearchResult } | undefined;
  const search = () => {
    if (made) return made;
    const graph = assemble(estate);
    return (made = { graph, result: findPaths(graph) });
  };
  return {
    opened: null,
    ask(request: PathsRequest): PathsReply {
      if ('add' in request) {
        estate.add(request.add);
        return null;
      }
      if ('places' in request) return { places: vulnerablePlaces(estate) };
      if ('placesOf' in request) return { places: placesOf(estate, request.placesOf) };
      if ('won' in request) return { uids: wonFromOutside(estate) };
      if ('weakOf' in request) return { uids: weakOf(estate, request.weakOf) };
      const { graph, result } = search();
      if ('basis' in request) return basisOf(estate, graph);
      if ('leftOut' in request)
        return {
          paths: result.leftOut.map((path) => identityOf(graph, path)),
          jewels: [...result.cut].map((jewel) => graph.nodes[jewel]!.uid),
        };
      const { from } = request.paths;
      const items = result.paths.slice(from, from + AT_ONCE).map((path) => draftOf(graph, path));
      return { items, next: from + AT_ONCE < result.paths.length ? from + AT_ONCE : null };
    },
  };
});
