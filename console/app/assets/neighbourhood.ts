/** An edge of `GET /inventory/asset/{resource_uid}/relationships`. */
export interface AssetEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
}

/** A node as it is drawn: an asset, or many of them that say the same. */
export interface Spot {
  readonly key: string;
  /** Null for many. */
  readonly uid: string | null;
  readonly count: number;
  /** Columns to the right of the asset in the middle; negative on its left. */
  readonly column: number;
  readonly row: number;
}

/** An edge as it is drawn. */
export interface Link {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
}

export interface Neighbourhood {
  readonly spots: readonly Spot[];
  readonly links: readonly Link[];
  readonly columns: readonly [first: number, last: number];
  readonly rows: number;
}

/** So many nodes are drawn at most. */
const MOST = 60;

interface Place {
  readonly column: number;
  /** The node nearer to the middle by which it was found. */
  readonly parent: string | null;
  readonly kind: string;
  readonly isOut: boolean;
}

const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Where each asset stands: what the middle leads to on its right, what leads to it on its left, and further ones outwards. */
function placesOf(middle: string, edges: readonly AssetEdge[]): Map<string, Place> {
  const places = new Map<string, Place>([[middle, { column: 0, parent: null, kind: '', isOut: true }]]);
  const around = new Map<string, { readonly uid: string; readonly kind: string; readonly isOut: boolean }[]>();
  const note = (at: string, uid: string, kind: string, isOut: boolean) => {
    const list = around.get(at);
    if (list) list.push({ uid, kind, isOut });
    else around.set(at, [{ uid, kind, isOut }]);
  };
  for (const { from, to, kind } of edges) {
    note(from, to, kind, true);
    note(to, from, kind, false);
  }
  let ring = [middle];
  while (ring.length > 0) {
    const next: string[] = [];
    for (const parent of ring) {
      const { column } = places.get(parent)!;
      const sorted = [...(around.get(parent) ?? [])].sort((one, other) => inOrder(one.kind, other.kind) || inOrder(one.uid, other.uid));
      for (const { uid, kind, isOut } of sorted) {
        if (places.has(uid)) continue;
        const outwards = column === 0 ? (isOut ? 1 : -1) : Math.sign(column);
        places.set(uid, { column: column + outwards, parent, kind, isOut });
        next.push(uid);
      }
    }
    ring = next;
  }
  return places;
}

const groupOf = ({ parent, kind, isOut, column }: Place): string => `${column} ${isOut ? 'out' : 'in'} ${kind} ${parent ?? ''}`;

/** Which assets are drawn together, so that at most MOST nodes are left: those at the rim that stand to the same one in the same way, the most first. */
function groupsOf(places: ReadonlyMap<string, Place>): Map<string, string> {
  const grouped = new Map<string, string>();
  let count = places.size;
  while (count > MOST) {
    const alone = [...places].filter(([uid]) => !grouped.has(uid));
    const parents = new Set(alone.map(([, { parent }]) => parent));
    const groups = new Map<string, string[]>();
    for (const [uid, place] of alone)
      if (place.parent !== null && !parents.has(uid)) groups.set(groupOf(place), [...(groups.get(groupOf(place)) ?? []), uid]);
    const [largest] = [...groups].sort(([one, a], [other, b]) => b.length - a.length || inOrder(one, other));
    if (!largest || largest[1].length < 2) break;
    for (const uid of largest[1]) grouped.set(uid, largest[0]);
    count -= largest[1].length - 1;
  }
  return grouped;
}

/** Lays out what is around an asset, left to right; the same edges are drawn the same at every visit. */
export function layOutAround(middle: string, edges: readonly AssetEdge[]): Neighbourhood {
  const places = placesOf(middle, edges);
  const groups = groupsOf(places);
  const keyOf = (uid: string): string => groups.get(uid) ?? uid;
  const rows = new Map<number, number>();
  const spots = new Map<string, Spot>();
  for (const [uid, { column }] of places) {
    const key = keyOf(uid);
    const before = spots.get(key);
    if (before) {
      spots.set(key, { ...before, count: before.count + 1 });
      continue;
    }
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    spots.set(key, { key, uid: groups.has(uid) ? null : uid, count: 1, column, row });
  }
  const links = new Map<string, Link>();
  for (const { from, to, kind } of edges) {
    const link = { from: keyOf(from), to: keyOf(to), kind };
    if (link.from !== link.to) links.set(`${link.from}\n${link.to}\n${kind}`, link);
  }
  const columns = [...rows.keys()];
  return {
    spots: [...spots.values()],
    links: [...links.values()],
    columns: [Math.min(...columns), Math.max(...columns)],
    rows: Math.max(...rows.values()),
  };
}
