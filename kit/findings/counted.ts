import type { EngineDatabase } from '../store/database.js';
import type { Filter } from '../store/query.js';
import { cellsOf, counterId, findingCounters, PLACE, type Cell, type CounterRow, type Grouping } from './counters.js';
import { askedFilters, filterOf, type FilterName, type FindingFilter } from './filters.js';
import { selectsCell } from './selected-cells.js';

/** The names of the filters that the cells of every row of counters tell apart. */
export const cellFilters = (asked: readonly FilterName[]): FilterName[] => asked.filter((name) => filterOf(name).counted === 'cell');

const isPlace = (name: FilterName): boolean => (PLACE as readonly FilterName[]).includes(name);

/** Which rows of counters hold what a filter selects, and which filters their cells must be held against; null when there are none. */
function rowsOf(database: EngineDatabase, filter: FindingFilter): { condition: Filter; compared: FilterName[] } | null {
  const asked = askedFilters(filter);
  if (asked.some((name) => filterOf(name).counted === null)) return null;
  const compared = cellFilters(asked);
  const grouped = asked.filter((name) => !compared.includes(name));
  const byId = (by: Grouping, values: readonly (string | null)[]) => ({
    _id: { $in: values.map((value) => counterId(database, by, [value])) },
  });
  const [first] = grouped;
  if (!first) return { condition: { _id: counterId(database, 'all', []) }, compared };
  if (grouped.length === 1) {
    if (filterOf(first).counted === 'value') return { condition: byId(first as Grouping, filter[first] as readonly string[]), compared };
    const { columns, condition } = filterOf(first);
    const [by] = columns;
    return { condition: { by, moment: condition(filter[first] as never)[by!] }, compared };
  }
  // the cells of a resource tell its places apart
  if (filter.resource_uid && grouped.every((name) => name === 'resource_uid' || isPlace(name)))
    return { condition: byId('resource_uid', filter.resource_uid), compared: asked.filter((name) => name !== 'resource_uid') };
  if (!grouped.every(isPlace)) return null;
  const values = grouped.map((name) => [name, { $in: filter[name] }] as const);
  return { condition: { by: 'place', ...Object.fromEntries(values) }, compared };
}

/** The counter cells that a filter selects, or null when it asks for more than the counters know. */
export async function countedCells(database: EngineDatabase, filter: FindingFilter): Promise<Cell[] | null> {
  const rows = rowsOf(database, filter);
  if (!rows) return null;
  const found: Pick<CounterRow, 'counts'>[] = await database.collection(findingCounters).find(rows.condition, { fields: ['counts'] });
  return found.flatMap(cellsOf).filter(selectsCell(filter, rows.compared));
}
