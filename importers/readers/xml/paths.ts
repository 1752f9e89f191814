/** Where reading stands among the wanted paths. */
export interface PathNode {
  /** The path whose elements are taken whole, where this is one. */
  readonly leaf: string | undefined;
  /** The path whose elements are told as they begin, where this is one. */
  readonly open: string | undefined;
  /** What an element of a local name below this one is; undefined where nothing in it is wanted. */
  child(name: string): PathNode | undefined;
}

interface Step {
  readonly name: string;
  /** Whether it may stand at any depth below the one before. */
  readonly anywhere: boolean;
}

interface WantedPath {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly opens: boolean;
}

/** A path and how many of its steps are made. */
interface Place {
  readonly wanted: WantedPath;
  readonly made: number;
}

const WILDCARD = '*';
const OPENS = /\/@$/;
const PATH = /^(?:\/\/)?[^/@[\]\s]+(?:\/\/?[^/@[\]\s]+)*(?:\/@)?$/;

/**
 * The node above the root for paths like `issues/issue`, `Benchmark//Rule` (at any depth), `report/*` (of any name), `host/@` (as it
 * begins). Names are local names. Throws when a path is none, or lies inside another's element: that one is taken whole.
 */
export function parsePaths(paths: readonly string[]): PathNode {
  const wanted = paths.map((path): WantedPath => {
    if (!PATH.test(path)) throw new Error(`${path} is no path of elements`);
    const outer = paths.find((other) => path !== other && !OPENS.test(other) && path.startsWith(`${other}/`));
    if (outer !== undefined) throw new Error(`the path ${path} lies inside ${outer}`);
    const steps = [...path.replace(OPENS, '').matchAll(/(^|\/+)([^/]+)/g)].map(([, slashes, name]): Step => ({
      name: name as string,
      anywhere: slashes === '//',
    }));
    return { path, steps, opens: OPENS.test(path) };
  });
  return nodesOf(wanted)(wanted.map((path) => ({ wanted: path, made: 0 })));
}

/** The names that a report's root may have; undefined for any. */
export function rootNames(paths: readonly string[]): Set<string> | undefined {
  const names = new Set(paths.map((path) => path.split('/')[0] as string));
  return names.has('') || names.has(WILDCARD) ? undefined : names;
}

/** Makes nodes, one for each set of places. */
function nodesOf(wanted: readonly WantedPath[]): (places: readonly Place[]) => PathNode {
  const names = new Set(wanted.flatMap(({ steps }) => steps.map(({ name }) => name)));
  const nodes = new Map<string, PathNode>();
  return function nodeOf(places): PathNode {
    const key = places.map((place) => `${wanted.indexOf(place.wanted)}:${place.made}`).join();
    const known = nodes.get(key);
    if (known !== undefined) return known;
    const children = new Map<string, PathNode | undefined>();
    const ended = places.filter((place) => place.made === place.wanted.steps.length);
    const node: PathNode = {
      leaf: ended.find(({ wanted: { opens } }) => !opens)?.wanted.path,
      open: ended.find(({ wanted: { opens } }) => opens)?.wanted.path,
      child(name) {
        // what no path names is all the same, so that a report's names fill no memory
        const step = names.has(name) ? name : WILDCARD;
        if (!children.has(step)) {
          const next = places.flatMap((place) => placesBelow(place, step));
          children.set(step, next.length === 0 ? undefined : nodeOf(next));
        }
        return children.get(step);
      },
    };
    nodes.set(key, node);
    return node;
  };
}

function placesBelow(place: Place, name: string): Place[] {
  const step = place.wanted.steps[place.made];
  if (step === undefined) return [];
  const made = step.name === name || step.name === WILDCARD ? [{ ...place, made: place.made + 1 }] : [];
  return step.anywhere ? [place, ...made] : made;
}
