import type { EngineDatabase } from '../store/database.js';
import type { Filter, Sort } from '../store/query.js';
import {
  allFilters,
  askedFilters,
  askedValues,
  conditionsOf,
  FILTER_NAMES,
  filterOf,
  findingCondition,
  listCondition,
  SHOWN,
  type FilterName,
  type FindingFilter,
} from './filters.js';
import { keptUntilChange } from './kept.js';
import { countFindings } from './query.js';
import { findings } from './row.js';

/** What stands before the name of a filter to ask for all that it does not select. */
const NOT = 'not_';

/** Filters and their negations as a list is asked for them: `not_region` beside `region`. */
export type NegatableFilter = FindingFilter & { readonly [Name in FilterName as `not_${Name}`]?: FindingFilter[Name] };

/** What a list shows: the findings that a filter selects, without those that any of others, of one filter each, do. */
export interface Selection {
  readonly wanted: FindingFilter;
  readonly excluded: readonly FindingFilter[];
}

/** More exclusions than these are looked at finding by finding, because each doubles the counts that a total is made of. */
const MOST_COUNTED = 4;

/** The negations of all filters as declarations of arguments. */
export const negatedFilters = (): Record<string, { type: string; description: string }> =>
  Object.fromEntries(
    Object.entries(allFilters()).map(([name, { type }]) => [
      `${NOT}${name}`,
      { type, description: `Without the findings that ${name} selects for the same value.` },
    ]),
  );

/** A filter that selects what both do; null where that is nothing, undefined where no one filter says so. */
export function bothOf(one: FindingFilter, other: FindingFilter): FindingFilter | null | undefined {
  let both: FindingFilter = one;
  for (const name of askedFilters(other)) {
    const [known, value] = [one[name] as unknown, other[name] as unknown];
    if (known === undefined || known === null) {
      both = { ...both, [name]: value };
      continue;
    }
    // only values that counters tell apart are compared as they are written
    if (!Array.isArray(known) || !Array.isArray(value) || filterOf(name).counted === null) return undefined;
    const common = known.filter((each: unknown) => value.includes(each));
    if (common.length === 0) return null;
    both = { ...both, [name]: common };
  }
  return both;
}

/** What is asked for as a selection; null where it can select nothing. */
export function selectionOf(asked: NegatableFilter): Selection | null {
  const values = Object.fromEntries(askedValues(asked));
  const excluded: FindingFilter[] = [];
  for (const name of FILTER_NAMES) {
    const value = asked[`${NOT}${name}`] as unknown;
    if (value === null || value === undefined) continue;
    const { values: all } = filterOf(name);
    if (!all || !Array.isArray(value)) {
      excluded.push({ [name]: value });
      continue;
    }
    const among = (values[name] ?? (name === 'status' ? SHOWN : all)) as readonly string[];
    const left = among.filter((one) => !value.includes(one));
    if (left.length === 0) return null;
    values[name] = left;
  }
  return { wanted: values, excluded };
}

/** The database's condition that none of the exclusions selects a finding; empty where there are none. */
export const exclusionOf = ({ excluded }: Selection): Filter =>
  excluded.length === 0 ? {} : { $nor: excluded.flatMap((filter) => conditionsOf(filter)) };

/** The database's condition for a page of a selection in an order. */
export const selectedInOrder = (selection: Selection, sort: Sort): Filter => ({
  ...listCondition(selection.wanted, sort),
  ...exclusionOf(selection),
});

/**
 * The exact number of findings of one engine in a selection. What is excluded is counted, too, and taken away, so that counters tell what they
 * can tell of each part.
 */
export async function countSelected(database: EngineDatabase, selection: Selection): Promise<number> {
  const { wanted, excluded } = selection;
  const [first, ...others] = excluded;
  if (!first) return countFindings(database, wanted);
  const shown = wanted.status ? wanted : { ...wanted, status: SHOWN };
  const both = excluded.length > MOST_COUNTED ? undefined : bothOf(shown, first);
  if (both === undefined) {
    const what = `count without ${JSON.stringify(excluded.map(askedValues))}`;
    return keptUntilChange(database, what, wanted, () =>
      database.collection(findings).count({ ...findingCondition(wanted), ...exclusionOf(selection) }),
    );
  }
  const [all, taken] = await Promise.all([
    countSelected(database, { wanted, excluded: others }),
    both === null ? 0 : countSelected(database, { wanted: both, excluded: others }),
  ]);
  // a run may have changed findings between the two
  return Math.max(0, all - taken);
}
