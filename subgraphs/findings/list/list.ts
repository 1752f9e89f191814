import { BoundedCache } from '../../../kit/base/bounded-cache.js';
import { badRequest } from '../../../kit/base/errors.js';
import type { EngineContext } from '../../../kit/engine/context.js';
import type { FindingFacts } from '../../../kit/engine/finding-facts.js';
import { firstOf, pageAcross } from '../../../kit/findings/across.js';
import { partsBehind, positionOf, readCursor, writeCursor, type Position } from '../../../kit/findings/cursor.js';
import type { EveryFilter } from '../../../kit/findings/every-filter.js';
import { countersVersion } from '../../../kit/findings/kept.js';
import { findingOrder, type Key } from '../../../kit/findings/order.js';
import type { FindingRow } from '../../../kit/findings/row.js';
import { countSelected } from '../../../kit/findings/selection.js';
import type { EngineDatabase } from '../../../kit/store/database.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import type { Sort } from '../../../kit/store/query.js';
import { selectionIn, type SelectionIn } from './joined.js';
import { engineScope, readAcross } from './reading.js';

export interface FindingListArguments extends PageArguments, EveryFilter {
  sort?: string | null;
  after?: string | null;
}

/** Rows that a page may pass over from the nearest place that is known; a cursor passes over none. */
const MOST_PASSED = 100_000;

/** Where pages ended that this process has read, over all tenants. */
const ends = new BoundedCache<Position>(2_000);

/** Where a page begins: behind a place, `skip` rows on. */
interface Start {
  readonly behind: Position | null;
  readonly skip: number;
}

/** The findings of every engine that the caller may read in one list. @throws PalisadeError BAD_REQUEST */
export async function listEveryFinding(context: EngineContext, args: FindingListArguments) {
  const window = pageWindow(args);
  const sort = findingOrder(args.sort);
  const after = args.after == null ? null : readCursor(args.after, sort);
  if (after && window.page !== 1) throw badRequest('page and after exclude each other');
  const engines = engineScope(context, args);
  const selectionOf = await selectionIn(context, args);
  const counted = await readAcross(context, engines, async (database) => {
    const selection = await selectionOf(database);
    return selection ? countSelected(database, selection) : 0;
  });
  const missing = { restrictedEngines: counted.restrictedEngines, degradedEngines: counted.degradedEngines };
  const holding = counted.answers.filter(({ result }) => result > 0);
  const total = sumOf(holding);
  if (after ? total === 0 : window.skip >= total) return { ...toPage([], total, window), ...missing, next_cursor: null };

  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const place = after ? null : await placeOf(context, holding, args, sort);
  const start: Start = after ? { behind: after, skip: 0 } : nearest(place!, window.skip);
  const wanted = start.skip + window.limit;
  const read = await readAcross(
    context,
    holding.map(({ facts }) => facts),
    // one more tells whether anything follows
    (database) => firstBehind(database, selectionOf, sort, start.behind, wanted + 1),
  );
  const lists = read.answers.map(({ result }) => result);
  const present = holding.filter(({ facts }) => !read.degradedEngines.includes(facts.viewSegment));
  const segments = new Map(present.map(({ facts }) => [facts.engine, facts.viewSegment]));
  const { keys, items } = await pageAcross(tenant, segments, lists, sort, { skip: start.skip, limit: window.limit });
  const left = lists.reduce((sum, { length }) => sum + length, 0) - start.skip - keys.length;
  const end = keys.at(-1);
  if (end && place && keys.length === window.limit) ends.set(place(window.skip + window.limit), positionOf(end, sort));
  return {
    ...toPage(items, sumOf(present), window),
    has_more: left > 0,
    next_cursor: end && left > 0 ? writeCursor(positionOf(end, sort), sort) : null,
    ...missing,
    degradedEngines: [...missing.degradedEngines, ...read.degradedEngines],
  };
}

const sumOf = (counted: readonly { result: number }[]): number => counted.reduce((sum, { result }) => sum + result, 0);

/** What names the end of the first so many rows of a list, as it stands now. */
async function placeOf(
  context: EngineContext,
  engines: readonly { facts: FindingFacts }[],
  { page: _, page_size: _size, ...filter }: FindingListArguments,
  sort: Sort,
) {
  const names = engines.map(({ facts }) => facts.engine);
  const tenant = context.services.database.tenant(context.auth.tenant_id);
  const version = await countersVersion(tenant, names);
  return (rows: number): string => JSON.stringify([tenant.tenantId, names, version, filter, Object.entries(sort), rows]);
}

function nearest(place: (rows: number) => string, skip: number): Start {
  const end = skip === 0 ? undefined : ends.get(place(skip));
  if (end) return { behind: end, skip: 0 };
  if (skip > MOST_PASSED)
    throw badRequest(`A page may begin ${MOST_PASSED} rows into the list at most, unless the page before it was read; go on with after`);
  return { behind: null, skip };
}

/** The first findings of one engine behind a place. @param fields what is read of each beside what is compared */
export async function firstBehind<Field extends keyof FindingRow = never>(
  database: EngineDatabase,
  selectionOf: SelectionIn,
  sort: Sort,
  behind: Position | null,
  limit: number,
  fields: readonly Field[] = [],
): Promise<(Key & Pick<FindingRow, Field>)[]> {
  const selection = await selectionOf(database);
  if (!selection) return [];
  const found: (Key & Pick<FindingRow, Field>)[] = [];
  const parts = behind ? partsBehind(database.tenantId, database.engine, behind, sort) : [{}];
  for (const part of parts) {
    if (found.length === limit) break;
    found.push(...(await firstOf(database, selection, sort, limit - found.length, part, fields)));
  }
  return found;
}
