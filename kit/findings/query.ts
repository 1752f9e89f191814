import type { EngineDatabase } from '../store/database.js';
import { badRequest } from '../base/errors.js';
import { readCounters, sumCells, type Cell } from './counters.js';
import { askedFilters, filterOf, findingCondition, type FilterName, type FindingFilter } from './filters.js';
import { findings } from './row.js';
import type { Sort } from '../store/query.js';

/** The sorts of every finding list, descending: each is total, so that no row is seen twice or skipped. */
export const FINDING_SORTS: Readonly<Record<string, Sort>> = {
  severity: { severity_rank: -1, last_seen_at: -1, finding_id: 1 },
  risk_score: { risk_score: -1, finding_id: 1 },
  last_seen_at: { last_seen_at: -1, finding_id: 1 },
  first_seen_at: { first_seen_at: -1, finding_id: 1 },
};
export const DEFAULT_SORT = FINDING_SORTS['severity']!;
const SORT_NAMES = Object.keys(FINDING_SORTS);

/** The argument `sort` in the graph's language. */
export const SORT_ARGUMENT = `
    "${SORT_NAMES.slice(0, -1).join(', ')} or ${SORT_NAMES.at(-1)}, with - in front for descending; without it worst severity first, then newest, then finding_id."
    sort: String`;

/**
 * The order of a list. Ascending is the descending order reversed.
 * @throws PalisadeError BAD_REQUEST for an unknown field
 */
export function findingOrder(sort: string | null | undefined): Sort {
  if (!sort) return DEFAULT_SORT;
  const descending = sort.startsWith('-');
  const name = descending ? sort.slice(1) : sort;
  const order = Object.hasOwn(FINDING_SORTS, name) ? FINDING_SORTS[name] : undefined;
  if (!order) throw badRequest(`sort must be one of ${SORT_NAMES.join(', ')}, with - in front for descending`);
  return descending ? order : Object.fromEntries(Object.entries(order).map(([field, way]) => [field, way === 1 ? -1 : 1] as const));
}

/** What a counter's cell holds under the name of a filter. */
const cellValue = (cell: Cell, name: FilterName): unknown => (cell as Partial<Record<FilterName, unknown>>)[name];

/** The counter cells that a filter selects, or null when it asks for more than the counters know. */
export async function countedCells(database: EngineDatabase, filter: FindingFilter): Promise<Cell[] | null> {
  const asked = askedFilters(filter);
  if (asked.some((name) => filterOf(name).counted === null)) return null;
  const byAccount = asked.some((name) => filterOf(name).counted === 'account');
  const all = await readCounters(database, byAccount ? (filter.account_id ?? 'all') : null);
  // the account of a cell is that of its row
  const compared = asked.filter((name) => name !== 'account_id');
  return all.filter(
    (cell) =>
      (filter.status || cell.status !== 'SUPPRESSED') &&
      compared.every((name) => (filter[name] as readonly unknown[]).includes(cellValue(cell, name))),
  );
}

/** The exact number of findings that a filter selects: from the counters where they know, else counted. */
export async function countFindings(database: EngineDatabase, filter: FindingFilter): Promise<number> {
  const cells = await countedCells(database, filter);
  return cells ? sumCells(cells).total : database.collection(findings).count(findingCondition(filter));
}
