import { BoundedCache } from '../base/bounded-cache.js';
import type { EngineDatabase } from '../store/database.js';
import type { Filter, Sort } from '../store/query.js';
import { literalPattern } from '../store/text-filter.js';
import { findByParts } from '../store/text-parts.js';
import { countedCells } from './counted.js';
import { cellsOf, findingCounters, PLACE, sumCells, type CounterRow } from './counters.js';
import { askedFilters, filterOf, findingCondition, type FilterName, type FindingFilter } from './filters.js';
import { keptUntilChange, versionOf } from './kept.js';
import { comparing, KEY_FIELDS, type Key } from './order.js';
import { findings } from './row.js';
import { selectsCell } from './selected-cells.js';
import { findingTexts, SEARCHED, STEP, type Searched } from './texts.js';

/** How far a search goes. */
interface Limits {
  /** Findings that it reads; of more, a page is soon met on the way through all in order. */
  readonly read: number;
  /** Rules, and resources, whose counters it reads one by one. */
  readonly named: number;
}
const LIMITS: Limits = { read: 2_000, named: 10_000 };

/** What the last searches found, over all tenants. */
const foundLast = new BoundedCache<{ readonly answer: unknown }>(20);

/** A rule or a resource one of whose texts holds what is searched. */
type Named = Pick<CounterRow, '_id' | 'value' | 'counts' | 'texts'>;

const patternOf = ({ q }: FindingFilter, by: Searched): Filter => ({ [SEARCHED[by]]: literalPattern(q!) });

/** The rows of counters that summaries order: those of rules, or of resources. */
const rowsBy = (by: Searched): Filter => ({ by, total: { $exists: true } });

/** The rules whose titles hold a text, or the resources whose names do, and those that are looked at in every search; null for more than `most`. */
async function namedBy(database: EngineDatabase, by: Searched, wanted: string, most: number): Promise<Named[] | null> {
  const ids = await findByParts(database.collection(findingTexts), wanted, { step: STEP, most, among: { by } });
  const condition = { ...(ids ? { _id: { $in: ids } } : rowsBy(by)), $or: [{ texts: literalPattern(wanted) }, { texts: null }] };
  const fields = ['value', 'counts', 'texts'];
  const rows: Named[] = await database.collection(findingCounters).find(condition, { limit: most + 1, fields });
  return rows.length <= most ? rows : null;
}

/** The condition of the findings among some rules or resources that a filter selects by their titles or their names; of all where `named` is null. */
function conditionOf(filter: FindingFilter, by: Searched, named: readonly Named[] | null): Filter {
  const { q: _, ...others } = filter;
  const condition = { ...findingCondition(others), ...patternOf(filter, by) };
  if (!named) return condition;
  const asked = filter[by];
  return { ...condition, [by]: { $in: named.map(({ value }) => value!).filter((value) => !asked || asked.includes(value)) } };
}

/**
 * Those of the named rules or resources that a search goes by; null where the rest of the filter selects fewer findings than they have, so that it
 * goes by that.
 */
async function narrower(database: EngineDatabase, filter: FindingFilter, named: readonly Named[]): Promise<readonly Named[] | null> {
  const { q: _, ...others } = filter;
  if (askedFilters(others).every((name) => filterOf(name).counted === 'cell')) return named;
  const cells = await countedCells(database, others);
  const selected = cells && sumCells(cells).total;
  return selected !== null && selected < sumCells(named.flatMap(cellsOf)).total ? null : named;
}

/** The filters that the cells of a rule's or a resource's counters tell apart. */
const CELLS: Readonly<Record<Searched, readonly FilterName[]>> = {
  rule_id: ['severity', 'provider', 'status'],
  resource_uid: ['severity', 'provider', 'status', ...PLACE],
};

/** How many findings of some rules or resources a filter selects by their titles or their names, as counters tell; and of which they do not. */
function countTold(filter: FindingFilter, by: Searched, named: readonly Named[]): { total: number; others: Named[] } {
  const asked = askedFilters(filter).filter((name) => name !== 'q' && name !== by);
  const isTold = asked.every((name) => CELLS[by].includes(name));
  // findings of one rule may have several titles, of which some only hold the text
  const told = named.filter(({ texts }) => isTold && texts?.length === 1);
  const others = named.filter(({ texts }) => !isTold || texts?.length !== 1);
  const among = told.filter(({ value }) => !filter[by] || filter[by].includes(value!));
  return { total: sumCells(among.flatMap(cellsOf).filter(selectsCell(filter, asked))).total, others };
}

/** How many findings a filter selects by their titles or their names where very many rules or resources have the text; null where their totals do not tell. */
async function countByTotals(database: EngineDatabase, filter: FindingFilter, by: Searched): Promise<number | null> {
  if (askedFilters(filter).length > 1) return null;
  const counters = database.collection(findingCounters);
  const texts = literalPattern(filter.q!);
  const several: Named[] = await counters.find(
    { ...rowsBy(by), $or: [{ texts: null }, { texts, 'texts.1': { $exists: true } }] },
    { limit: LIMITS.named + 1, fields: ['value'] },
  );
  if (several.length > LIMITS.named) return null;
  const rows = database.collection(findings);
  const hidden = { ...patternOf(filter, by), status: 'SUPPRESSED', [by]: { $nin: several.map(({ value }) => value!) } };
  const [sums, suppressed, others] = await Promise.all([
    counters.aggregate<{ total: number }>([
      { $match: { ...rowsBy(by), texts, 'texts.1': { $exists: false } } },
      { $group: { _id: null, total: { $sum: '$total' } } },
    ]),
    rows.count(hidden),
    several.length === 0 ? 0 : rows.count(conditionOf(filter, by, several)),
  ]);
  return (sums[0]?.total ?? 0) - suppressed + others;
}

/** What a search finds: how many findings, and which, where they are few. */
export interface Found {
  readonly total: number;
  readonly keys: readonly Key[] | null;
}

/** The findings among some rules or resources that a filter selects by their titles or their names; null where they are more than are read. */
async function fewAmong(
  database: EngineDatabase,
  filter: FindingFilter,
  by: Searched,
  named: readonly Named[] | null,
  most: number,
): Promise<Key[] | null> {
  const options = { fields: KEY_FIELDS, limit: most + 1 };
  const keys: Key[] = await database.collection(findings).find(conditionOf(filter, by, named), options);
  return keys.length <= most ? keys : null;
}

/** What a search finds by the titles of rules or the names of resources. */
async function foundBy(database: EngineDatabase, filter: FindingFilter, by: Searched, limits: Limits) {
  const count = (among: readonly Named[] | null) => database.collection(findings).count(conditionOf(filter, by, among));
  const named = await namedBy(database, by, filter.q!, limits.named);
  if (!named) return { by, named, keys: null, total: (await countByTotals(database, filter, by)) ?? (await count(null)) };
  const among = await narrower(database, filter, named);
  const { total, others } = countTold(filter, by, named);
  const keys = total <= limits.read ? await fewAmong(database, filter, by, among, limits.read) : null;
  if (keys) return { by, named: among, keys, total: keys.length };
  // without the named ones, those whose findings are counted are all
  return { by, named: among, keys, total: others.length === 0 ? total : among ? total + (await count(others)) : await count(null) };
}

/**
 * How many findings a filter selects by their names alone, where most that it might select have the text in their titles: those of the other rules
 * are fewer to look at than all names. Null where they are not, or counters do not tell.
 */
async function countBesideTitles(
  database: EngineDatabase,
  filter: FindingFilter,
  titles: Pick<Found, 'total'> & { named: readonly Named[] | null },
) {
  const { q: _, ...others } = filter;
  const cells = await countedCells(database, others);
  if (!cells || !titles.named) return null;
  const left = sumCells(cells).total - titles.total;
  if (left <= 0) return 0;
  if (left >= titles.total) return null;
  // a rule that has several titles may have the text in some only
  const told = new Set(titles.named.filter(({ texts }) => texts?.length === 1).map(({ value }) => value));
  const rows = await database.collection(findingCounters).find({ ...rowsBy('rule_id'), total: { $gt: 0 } }, { fields: ['value'] });
  const rules = rows.flatMap(({ value }) => (told.has(value) || (filter.rule_id && !filter.rule_id.includes(value!)) ? [] : [value!]));
  const beside = { ...findingCondition(others), ...patternOf(filter, 'resource_uid'), rule_id: { $in: rules } };
  return database.collection(findings).count({ $and: [beside, { $nor: [patternOf(filter, 'rule_id')] }] });
}

/**
 * What a filter with a text finds: the exact number of findings, and the findings themselves where they are few.
 */
export async function search(database: EngineDatabase, filter: FindingFilter, limits = LIMITS): Promise<Found> {
  const titles = await foundBy(database, filter, 'rule_id', limits);
  if (!titles.keys) {
    const beside = await countBesideTitles(database, filter, titles);
    if (beside !== null) return { total: titles.total + beside, keys: null };
  }
  const names = await foundBy(database, filter, 'resource_uid', limits);
  const [fewer, more] = titles.total < names.total ? [titles, names] : [names, titles];
  if (fewer.total === 0) return { total: more.total, keys: more.keys };
  if (fewer.keys && more.keys) {
    const keys = [...new Map([...fewer.keys, ...more.keys].map((key) => [key._id, key])).values()];
    return { total: keys.length, keys };
  }
  // what is found by both is counted once
  const one = fewer.keys ? { _id: { $in: fewer.keys.map(({ _id }) => _id) } } : conditionOf(filter, fewer.by, fewer.named);
  const both = await database.collection(findings).count({ ...one, ...patternOf(filter, more.by) });
  return { total: fewer.total + more.total - both, keys: null };
}

/** As `search`, kept in this process until a finding of the engine changes. */
export async function searchOnce(database: EngineDatabase, filter: FindingFilter): Promise<Found> {
  // most engines of a tenant have never had a finding
  if ((await versionOf(database)) === undefined) return { total: 0, keys: [] };
  return keptUntilChange(database, 'search', filter, () => search(database, filter), foundLast);
}

/** The database's condition for what a filter selects: with a text, such that the findings that have it are looked at alone, where that can be. */
export async function selection(database: EngineDatabase, filter: FindingFilter, limits = LIMITS): Promise<Filter> {
  if (!filter.q) return findingCondition(filter);
  const { keys } = await (limits === LIMITS ? searchOnce(database, filter) : search(database, filter, limits));
  if (keys) return { _id: { $in: keys.map(({ _id }) => _id) } };
  const sides = await Promise.all(
    (['rule_id', 'resource_uid'] as const).map(async (by) => {
      const named = await namedBy(database, by, filter.q!, limits.named);
      return named && conditionOf(filter, by, await narrower(database, filter, named));
    }),
  );
  return sides.every((side) => side !== null) ? { $or: sides } : findingCondition(filter);
}

/** Found findings in an order, those of one page of it. */
export const pageOf = <T extends Key>(keys: readonly T[], sort: Sort, { skip, limit }: { skip: number; limit: number }): T[] =>
  [...keys].sort(comparing(sort)).slice(skip, skip + limit);
