import type { EngineDatabase } from '../store/database.js';
import type { Filter, Sort } from '../store/query.js';
import { literalPattern } from '../store/text-filter.js';
import { cellsOf, findingCounters, PLACE, sumCells, type CounterRow } from './counters.js';
import { askedFilters, findingCondition, type FilterName, type FindingFilter } from './filters.js';
import { comparing, KEY_FIELDS, type Key } from './order.js';
import { findings } from './row.js';
import { selectsCell } from './selected-cells.js';
import { findingTexts, partConditions } from './texts.js';

/** Rules and resources that a search looks at; where a text is in more of them, it is soon met on the way through the findings. */
const MOST = 2_000;

type Named = Pick<CounterRow, '_id' | 'by' | 'value' | 'counts' | 'texts'>;
/** The rules and the resources among whose findings are all those that a search finds. */
interface Candidates {
  readonly rules: readonly Named[];
  readonly resources: readonly Named[];
}

/** A search as two conditions that no finding meets both of: the title holds the text, or the name of the resource alone does. */
function conditionsOf(filter: FindingFilter, { rules, resources }: Candidates): { title: Filter; name: Filter } {
  const { q, rule_id, resource_uid, ...others } = filter;
  const pattern = literalPattern(q!);
  const among = (rows: readonly Named[], asked: readonly string[] | null | undefined) =>
    rows.map(({ value }) => value!).filter((value) => !asked || asked.includes(value));
  const title = { ...findingCondition({ ...others, resource_uid }), rule_id: { $in: among(rules, rule_id) }, title: pattern };
  const name = {
    ...findingCondition({ ...others, rule_id }),
    resource_uid: { $in: among(resources, resource_uid) },
    resource_name: pattern,
  };
  return { title, name: { ...name, $nor: [{ title: pattern }] } };
}

/** The rules and resources that a text is found in; null where it is too short, or in too many. */
async function candidatesOf(database: EngineDatabase, text: string): Promise<Candidates | null> {
  const conditions = partConditions(text);
  if (!conditions) return null;
  const texts = database.collection(findingTexts);
  const found = await Promise.all(conditions.map((condition) => texts.find(condition as Filter, { limit: MOST + 1, fields: ['_id'] })));
  if (found.some((rows) => rows.length > MOST)) return null;
  const ids = new Set(found.flat().map(({ _id }) => _id));
  const fields = ['by', 'value', 'counts', 'texts'];
  const rows: Named[] = await database.collection(findingCounters).find({ _id: { $in: [...ids] } }, { fields });
  const { $regex, $options } = literalPattern(text);
  const pattern = new RegExp($regex, `${$options}u`);
  const holding = rows.filter(({ texts: known }) => !known || known.some((one) => pattern.test(one)));
  return { rules: holding.filter(({ by }) => by === 'rule_id'), resources: holding.filter(({ by }) => by === 'resource_uid') };
}

/** How many findings of rows a filter selects, as their counters tell; null where they do not. @param known the filters that cells tell apart */
function countedOf(rows: readonly Named[], filter: FindingFilter, by: FilterName, known: readonly FilterName[]): number | null {
  const asked = askedFilters(filter).filter((name) => name !== 'q' && name !== by);
  // findings of one rule may have several titles, of which some only hold the text
  if (!asked.every((name) => known.includes(name)) || rows.some(({ texts }) => texts?.length !== 1)) return null;
  const values = filter[by] as readonly string[] | null | undefined;
  const among = rows.filter(({ value }) => !values || values.includes(value!));
  return sumCells(among.flatMap(cellsOf).filter(selectsCell(filter, asked))).total;
}

const CELLS = ['severity', 'provider', 'status'] as const;

/** The exact number of findings that a filter with a text selects. */
export async function countSearched(database: EngineDatabase, filter: FindingFilter): Promise<number> {
  const rows = database.collection(findings);
  const candidates = await candidatesOf(database, filter.q!);
  if (!candidates) return rows.count(findingCondition(filter));
  const { rules, resources } = candidates;
  const { title, name } = conditionsOf(filter, candidates);
  const byTitle = countedOf(rules, filter, 'rule_id', CELLS);
  const byName = rules.length === 0 ? countedOf(resources, filter, 'resource_uid', [...CELLS, ...PLACE]) : null;
  const [titles, names] = await Promise.all([byTitle ?? rows.count(title), byName ?? (resources.length === 0 ? 0 : rows.count(name))]);
  return titles + names;
}

/**
 * `_id` of the findings of one page that a filter with a text selects, in order, where they are few.
 * @param total how many there are
 * @returns null where they are many: on the way through all findings in order they are soon met
 */
export async function searchedPage(
  database: EngineDatabase,
  filter: FindingFilter,
  sort: Sort,
  { skip, limit, total }: { skip: number; limit: number; total: number },
): Promise<string[] | null> {
  const candidates = total > MOST ? null : await candidatesOf(database, filter.q!);
  if (!candidates) return null;
  const rows = database.collection(findings);
  const { title, name } = conditionsOf(filter, candidates);
  const found: Key[][] = await Promise.all([title, name].map((condition) => rows.find(condition, { fields: KEY_FIELDS })));
  return found
    .flat()
    .sort(comparing(sort))
    .slice(skip, skip + limit)
    .map(({ _id }) => _id);
}
