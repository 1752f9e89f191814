import { BoundedCache } from '../base/bounded-cache.js';
import type { PageWindow } from './paging.js';
import { partsFrom, Places, type Approach, type Place } from './places.js';
import type { Filter, Sort } from './query.js';
import type { RowReader } from './row-reader.js';

/** Rows that are passed over sooner than places are looked up. */
const NEAR = 200;

/** Places of the lists read last, over all tenants. */
const kept = new BoundedCache<Places>(200);

/** A list whose pages are read: rows that a condition selects, in an order that tells each apart from the others. */
export interface OrderedList<T extends object> {
  readonly rows: RowReader<T>;
  readonly condition: Filter;
  /** By fields that every row has, the last of them another one in each row. */
  readonly sort: Sort;
  readonly fields?: readonly string[];
  /** What the list is among all lists of all tenants; the sort and the version are added. */
  readonly key: readonly unknown[];
  /** The version of the rows, another one after each change of them; undefined where there are none. */
  version(): Promise<string | undefined>;
  /** The exact number of rows. */
  total(): Promise<number>;
  /** Places that are known without reading a page. */
  first?(): Promise<Place[]>;
}

/** The same order from its end on. */
export const reversed = (sort: Sort): Sort =>
  Object.fromEntries(Object.entries(sort).map(([field, way]) => [field, way === 1 ? -1 : 1] as const));

const valueAt = (row: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], row);

async function placesOf<T extends object>({ key, sort, total, first }: OrderedList<T>, version: string): Promise<Places> {
  const name = JSON.stringify([key, version, Object.entries(sort)]);
  const known = kept.get(name);
  if (known) return known;
  const [count, places] = await Promise.all([total(), first?.() ?? []]);
  return kept.set(name, new Places(count, places));
}

/** The `wanted` rows that an approach comes to, in the order of the list. */
async function readFrom<T extends object>(
  { rows, condition, sort, fields }: OrderedList<T>,
  approach: Approach,
  wanted: number,
): Promise<T[]> {
  const order = approach.way === 1 ? sort : reversed(sort);
  const found: T[] = [];
  let { skip } = approach;
  for (const part of partsFrom(sort, approach)) {
    const within = { $and: [condition, part] };
    const some = await rows.find(within, { sort: order, skip, limit: wanted - found.length, fields });
    found.push(...some);
    if (found.length === wanted) break;
    skip = some.length > 0 || skip === 0 ? 0 : skip - (await rows.count(within));
  }
  return approach.way === 1 ? found : found.reverse();
}

/**
 * The rows of one page of a list, in order. A page far behind is read from the nearest place that is known: where a page ended or began that this
 * process has read since the last change, one that the list knows by itself, or the end of the list.
 */
export async function readPageOf<T extends object>(
  list: OrderedList<T>,
  { skip, limit }: Pick<PageWindow, 'skip' | 'limit'>,
): Promise<T[]> {
  const { rows, condition, sort, fields } = list;
  const plainly = () => rows.find(condition, { sort, skip, limit, fields });
  const version = skip < NEAR ? undefined : await list.version();
  if (version === undefined) return plainly();

  const places = await placesOf(list, version);
  const end = Math.min(skip + limit, places.total);
  if (skip >= end) return plainly();
  const found = await readFrom(list, places.nearest(skip, end), end - skip);
  // what was read of several states is a page of none
  if (found.length < end - skip || (await list.version()) !== version) return plainly();
  for (const n of new Set([0, found.length - 1]))
    places.meet({ at: skip + n, values: Object.keys(sort).map((field) => valueAt(found[n]!, field)) });
  return found;
}
