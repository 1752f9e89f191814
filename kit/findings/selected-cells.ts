import type { Cell } from './counters.js';
import type { FilterName, FindingFilter } from './filters.js';

/** What a counter's cell holds under the name of a filter. */
const cellValue = (cell: Cell, name: FilterName): unknown => (cell as Partial<Record<FilterName, unknown>>)[name];

/** Whether a filter selects the findings of a cell, as far as `names` go. */
export const selectsCell = (filter: FindingFilter, names: readonly FilterName[]) => (cell: Cell) =>
  (filter.status || cell.status !== 'SUPPRESSED') &&
  names.every((name) => (filter[name] as readonly unknown[]).includes(cellValue(cell, name)));
