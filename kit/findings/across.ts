import type { EngineDatabase, TenantDatabase } from '../store/database.js';
import type { PageWindow } from '../store/paging.js';
import type { Filter, Sort } from '../store/query.js';
import { ITEM_FIELDS, type FindingItem } from './item.js';
import { comparing, KEY_FIELDS, type Key } from './order.js';
import { findings, type FindingRow } from './row.js';
import { pageOf, searchOnce } from './search.js';
import { exclusionOf, selectedInOrder, type Selection } from './selection.js';

/** The first rows of several sorted lists in their common order, `skip` left out. */
function merged(lists: readonly (readonly Key[])[], compare: (one: Key, other: Key) => number, skip: number, limit: number): Key[] {
  const heads = lists.map((rows) => ({ rows, at: 0 }));
  const taken: Key[] = [];
  for (let n = 0; n < skip + limit; n++) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.at === head.rows.length) continue;
      if (!first || compare(head.rows[head.at]!, first.rows[first.at]!) < 0) first = head;
    }
    if (!first) break;
    const row = first.rows[first.at++]!;
    if (n >= skip) taken.push(row);
  }
  return taken;
}

/**
 * The first findings of one engine that a selection has, in order: read along the engine's index, or, with a text, among the findings that have it where
 * these are few.
 * @param fields what is read of each beside what is compared
 * @param behind the condition of a part of the list; the whole of it when empty
 */
export async function firstOf<Field extends keyof FindingRow = never>(
  database: EngineDatabase,
  selection: Selection,
  sort: Sort,
  limit: number,
  behind: Filter = {},
  fields: readonly Field[] = [],
): Promise<(Key & Pick<FindingRow, Field>)[]> {
  const rows = database.collection(findings);
  const found = selection.wanted.q ? (await searchOnce(database, selection.wanted)).keys : null;
  const within = (condition: Filter): Filter => ({ $and: [condition, behind] });
  const read = [...new Set([...KEY_FIELDS, ...fields])];
  if (!found) return rows.find(within(selectedInOrder(selection, sort)), { sort, limit, fields: read });
  const ids = { _id: { $in: found.map(({ _id }) => _id) }, ...exclusionOf(selection) };
  return pageOf(await rows.find(within(ids), { fields: read }), sort, { skip: 0, limit });
}

/**
 * A page of the common order of several engines' findings.
 * @param engines those that the caller may read: engine -> view segment
 * @param lists the first findings of each, in order, at least as many as the page ends at
 * @returns the findings, and where they stand
 */
export async function pageAcross(
  tenant: TenantDatabase,
  engines: ReadonlyMap<string, string>,
  lists: readonly (readonly Key[])[],
  sort: Sort,
  { skip, limit }: Pick<PageWindow, 'skip' | 'limit'>,
): Promise<{ keys: Key[]; items: FindingItem[] }> {
  const keys = merged(lists, comparing(sort), skip, limit);
  const rows = tenant.engines([...engines.keys()]).collection(findings);
  const found = await rows.find({ _id: { $in: keys.map(({ _id }) => _id) } }, { fields: ['engine', ...ITEM_FIELDS] });
  const byId = new Map(found.map((row) => [row._id, row]));
  const items = keys.flatMap(({ _id }) => {
    const row = byId.get(_id);
    return row ? [{ ...row, engine: engines.get(row.engine)! }] : [];
  });
  return { keys, items };
}
