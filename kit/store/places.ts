import type { Filter, Sort } from '../store/query.js';

/** A place in an ordered list: `at` rows stand before it, and all others have these values of the sort's first fields, or come behind them. */
export interface Place {
  readonly at: number;
  /** None where no row, or every row, stands before it. */
  readonly values: readonly unknown[];
}

/** How to come to a page: from which place, in the order of the list (1) or against it (-1), and how many rows are to be passed over. */
export interface Approach {
  readonly from: Place;
  readonly way: 1 | -1;
  readonly skip: number;
}

/** Places kept of one list beside its first; those met longest ago go first. */
const MOST = 100;

/** The known places of one list of `total` rows, as it stood at one moment. */
export class Places {
  private readonly met: Place[] = [];

  constructor(
    readonly total: number,
    private readonly first: readonly Place[],
  ) {}

  /** The approach to the rows from `start` up to `end` that passes over the fewest others. */
  nearest(start: number, end: number): Approach {
    const ends: Place[] = [
      { at: 0, values: [] },
      { at: this.total, values: [] },
    ];
    const ways = [...ends, ...this.first, ...this.met].flatMap((from): Approach[] => [
      { from, way: 1, skip: start - from.at },
      { from, way: -1, skip: from.at - end },
    ]);
    return ways.filter(({ skip }) => skip >= 0).reduce((best, one) => (one.skip < best.skip ? one : best));
  }

  meet(place: Place): void {
    if (this.met.some(({ at }) => at === place.at)) return;
    this.met.push(place);
    if (this.met.length > MOST) this.met.shift();
  }
}

/**
 * The conditions of the rows that a place has on one side, each of a part that lies behind the part before it as one goes that way: equal values, and a
 * bound of the next one. Each is a range of an index, where an `$or` of them is not.
 */
export function partsFrom(sort: Sort, { from: { values }, way }: Pick<Approach, 'from' | 'way'>): Filter[] {
  const fields = Object.entries(sort).slice(0, values.length);
  if (fields.length === 0) return [{}];
  return fields
    .map(([field, order], n) => {
      const equal = Object.fromEntries(fields.slice(0, n).map(([name], m) => [name, values[m]] as const));
      // the row at the place itself is on the side that is behind it
      const isOwn = way === 1 && n === fields.length - 1;
      return { ...equal, [field]: { [`${order === way ? '$gt' : '$lt'}${isOwn ? 'e' : ''}`]: values[n] } };
    })
    .reverse();
}
