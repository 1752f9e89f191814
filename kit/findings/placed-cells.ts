import { FINDING_STATUSES } from '../../schema/model.js';
import type { EngineDatabase } from '../store/database.js';
import { cellsOf, findingCounters, PLACE, type Cell } from './counters.js';
import { askedFilters, askedValues, filterOf, type FilterName, type FindingFilter } from './filters.js';
import { keptUntilChange } from './kept.js';
import { findings, type FindingRow } from './row.js';
import { selection as conditionOf } from './search.js';
import { exclusionOf, type Selection } from './selection.js';

/** Findings of one place that are alike in severity, status and provider. */
export type PlacedCell = Cell & Pick<FindingRow, 'account_id' | 'region' | 'resource_type'>;

/** The columns that placed cells tell apart, each a filter. */
export const PLACED = ['severity', 'status', 'provider', ...PLACE] as const;
export type PlacedColumn = (typeof PLACED)[number];
const isPlaced = (name: FilterName): name is PlacedColumn => (PLACED as readonly FilterName[]).includes(name);

/** The parts of a selection that placed cells tell apart, or those that they do not. */
const partOf = ({ wanted, excluded }: Selection, placed: boolean): Selection => ({
  wanted: Object.fromEntries(askedValues(wanted).filter(([name]) => isPlaced(name) === placed)),
  excluded: excluded.filter((filter) => askedFilters(filter).every((name) => isPlaced(name) === placed)),
});

/** Whether a selection has the findings of a cell, as far as cells tell, by all columns but one. */
export function selectsPlaced(selection: Selection, but?: PlacedColumn): (cell: PlacedCell) => boolean {
  const { wanted, excluded } = partOf(selection, true);
  const names = askedFilters(wanted).filter((name) => name !== but) as PlacedColumn[];
  const has = (filter: FindingFilter, name: PlacedColumn, cell: PlacedCell) => (filter[name] as readonly unknown[]).includes(cell[name]);
  const others = excluded.flatMap((filter) => (askedFilters(filter) as PlacedColumn[]).map((name) => ({ filter, name })));
  return (cell) =>
    (but === 'status' || wanted.status || cell.status !== 'SUPPRESSED') &&
    names.every((name) => has(wanted, name, cell)) &&
    others.every(({ filter, name }) => name === but || !has(filter, name, cell));
}

/**
 * The cells of everything that a selection has of one engine, whatever it says of what cells tell apart: see `selectsPlaced`. From counters where it
 * says nothing else, whose rows are as many as there are places; else findings are grouped. Kept until a finding changes.
 */
export function placedCells(database: EngineDatabase, whole: Selection): Promise<PlacedCell[]> {
  const rest = partOf(whole, false);
  const wanted = { ...rest.wanted, status: FINDING_STATUSES };
  const what = `places without ${JSON.stringify(rest.excluded.map(askedValues))}`;
  return keptUntilChange(database, what, wanted, async () => {
    if (askedFilters(rest.wanted).length === 0 && rest.excluded.length === 0) return ofCounters(database);
    const condition = { $and: [await conditionOf(database, wanted), exclusionOf(rest)] };
    const columns = Object.fromEntries(PLACED.map((column) => [column, `$${column}`]));
    const groups = await database
      .collection(findings)
      .aggregate<{ _id: Omit<PlacedCell, 'count'>; count: number }>([
        { $match: condition },
        { $group: { _id: columns, count: { $sum: 1 } } },
      ]);
    return groups.map(({ _id, count }) => ({ ..._id, count }));
  });
}

async function ofCounters(database: EngineDatabase): Promise<PlacedCell[]> {
  const fields = ['counts', ...PLACE];
  const rows = await database.collection(findingCounters).find({ by: 'place' }, { fields });
  return rows.flatMap((row) =>
    cellsOf(row).map((cell) => ({
      ...cell,
      account_id: row.account_id ?? null,
      region: row.region!,
      resource_type: row.resource_type!,
    })),
  );
}

/** Whether counters of rules or resources tell a selection apart: all that it says is of these columns. */
export const saysOnly = ({ wanted, excluded }: Selection, columns: readonly string[]): boolean =>
  [...askedFilters(wanted), ...excluded.flatMap(askedFilters)].every((name) => columns.includes(name) && filterOf(name).counted !== null);
