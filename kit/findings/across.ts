import type { TenantDatabase } from '../store/database.js';
import { listCondition, type FindingFilter } from './filters.js';
import { ITEM_FIELDS, type FindingItem } from './item.js';
import { comparing, findingOrder, KEY_FIELDS, type Key } from './order.js';
import { countFindings } from './query.js';
import { findings } from './row.js';
import { pageOf, searchOnce } from './search.js';
import { pageWindow, toPage, type Page, type PageArguments } from '../store/paging.js';

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
 * One list over the findings of several engines, with the filters, sorts, paging and exact total of an engine's own. Each engine's
 * findings are read in order along its index, and merged here: the same on every store. A page costs at most (pages up to it) rows an engine.
 * @param engines those that the caller may read: engine -> view segment
 * @throws PalisadeError BAD_REQUEST for a page, page_size or sort that is none
 */
export async function listAcross(
  tenant: TenantDatabase,
  engines: ReadonlyMap<string, string>,
  args: FindingFilter & PageArguments & { sort?: string | null },
): Promise<Page<FindingItem>> {
  const window = pageWindow(args);
  const sort = findingOrder(args.sort);
  const names = [...engines.keys()];
  const rows = tenant.engines(names).collection(findings);
  const condition = listCondition(args, sort);
  const totals = await Promise.all(names.map((engine) => countFindings(tenant.engine(engine), args)));
  const options = { sort, limit: window.skip + window.limit, fields: KEY_FIELDS };
  const holding = names.filter((_, n) => totals[n]! > 0);
  const total = totals.reduce((sum, one) => sum + one, 0);
  if (window.skip >= total) return toPage([], total, window);
  const lists = await Promise.all(
    holding.map(async (engine): Promise<Key[]> => {
      const keys = args.q ? (await searchOnce(tenant.engine(engine), args)).keys : null;
      return keys ? pageOf(keys, sort, { skip: 0, limit: options.limit }) : rows.find({ ...condition, engine }, options);
    }),
  );
  const page = merged(lists, comparing(sort), window.skip, window.limit);
  const found = await rows.find({ _id: { $in: page.map(({ _id }) => _id) } }, { fields: ['engine', ...ITEM_FIELDS] });
  const byId = new Map(found.map((row) => [row._id, row]));
  const items = page.flatMap(({ _id }) => {
    const row = byId.get(_id);
    return row ? [{ ...row, engine: engines.get(row.engine)! }] : [];
  });
  return toPage(items, total, window);
}
