import type { EngineContext } from '../../../kit/engine/context.js';
import type { EveryFilter } from '../../../kit/findings/every-filter.js';
import { PLACED, placedCells, selectsPlaced, type PlacedCell, type PlacedColumn } from '../../../kit/findings/placed-cells.js';
import { selectionOf } from '../../../kit/findings/selection.js';
import { selectionIn } from '../list/joined.js';
import { engineScope, readAcross } from '../list/reading.js';

/** Values that one facet tells. */
const MOST = 200;

interface FacetValue {
  readonly value: string | null;
  readonly count: number;
}

/** The values of a column, most findings first, then by value. */
function facet(counts: ReadonlyMap<string | null, number>): { distinct: number; values: FacetValue[] } {
  const values = [...counts].map(([value, count]) => ({ value, count }));
  values.sort((one, other) => other.count - one.count || ((one.value ?? '') < (other.value ?? '') ? -1 : 1));
  return { distinct: values.length, values: values.slice(0, MOST) };
}

function countBy(cells: readonly PlacedCell[], valueOf: (cell: PlacedCell) => string | null): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const cell of cells) {
    const value = valueOf(cell);
    counts.set(value, (counts.get(value) ?? 0) + cell.count);
  }
  return counts;
}

/**
 * The values that findings have in the columns of filters, with the findings that each would select beside the other filters: what a filter's own
 * column says goes by all filters but its own.
 */
export async function findingFacets(context: EngineContext, args: EveryFilter) {
  const asked = new Set(engineScope(context, args).map(({ engine }) => engine));
  const selectionOfEngine = await selectionIn(context, args);
  // what is joined is no column of a facet: the rest is the same for all engines
  const selection = selectionOf(args);
  // the facet of engines tells those that are not asked for, too
  const found = await readAcross(context, context.services.findingEngines, async (database) => {
    const own = await selectionOfEngine(database);
    return own ? placedCells(database, own) : [];
  });
  const cells = found.answers.flatMap(({ facts, result }) => (asked.has(facts.engine) ? result : []));
  const of = (column: PlacedColumn) =>
    facet(countBy(selection ? cells.filter(selectsPlaced(selection, column)) : [], (cell) => cell[column]));
  const sum = (some: readonly PlacedCell[]) => some.reduce((total, { count }) => total + count, 0);
  const selected = selection ? selectsPlaced(selection) : () => false;
  const byEngine = found.answers.map(({ facts, result }) => [facts.viewSegment, sum(result.filter(selected))] as const);
  return {
    total: sum(cells.filter(selected)),
    engine: facet(new Map(byEngine.filter(([, count]) => count > 0))),
    ...Object.fromEntries(PLACED.map((column) => [column, of(column)])),
    degradedEngines: found.degradedEngines,
    restrictedEngines: found.restrictedEngines,
  };
}
