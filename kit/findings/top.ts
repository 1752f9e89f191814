import type { EngineDatabase } from '../store/database.js';
import type { Filter } from '../store/query.js';
import { cellsOf, counterId, findingCounters, PLACE, type Cell, type CounterRow } from './counters.js';
import { askedFilters, filterOf, type FilterName, type FindingFilter } from './filters.js';
import { keptUntilChange } from './kept.js';
import { severityRank } from './risk-score.js';
import { findings } from './row.js';
import { selectsCell } from './selected-cells.js';

/** Rules or resources that a summary names. */
const TOP = 10;
/** Rows of counters read at once. */
const BATCH = 100;

/** A rule or a resource with the findings that a filter selects of it. */
export interface Top {
  readonly value: string;
  /** The title of the rule, the type of the resource. */
  readonly label: string;
  /** Rank of the worst severity. */
  readonly worst: number;
  readonly count: number;
}

type Ranked = 'rule_id' | 'resource_uid';
const LABELS = { rule_id: 'title', resource_uid: 'resource_type' } as const;

/** Most findings first, then the worst severity, then by name. */
const compare = (one: Omit<Top, 'label'>, other: Omit<Top, 'label'>): number =>
  other.count - one.count || other.worst - one.worst || (one.value < other.value ? -1 : 1);

/** The filters that the counters of a rule or a resource tell apart. */
const known = (by: Ranked, name: FilterName): boolean =>
  filterOf(name).counted === 'cell' || name === by || (by === 'resource_uid' && (PLACE as readonly FilterName[]).includes(name));

/**
 * The rules, or the resources, that have most of the findings which a filter selects. Counters are read from the most findings down, until none of
 * those that follow can be among them; where counters do not tell the filter apart, findings are grouped. Kept until a finding changes.
 * @param total how many findings the filter selects: once they are met, no other row has one
 * @param selected the database's condition for the filter
 */
export async function topOf(
  database: EngineDatabase,
  by: Ranked,
  filter: FindingFilter,
  total: number,
  selected: () => Promise<Filter>,
): Promise<Top[]> {
  if (total === 0) return [];
  return keptUntilChange(database, `top ${by}`, filter, async () =>
    askedFilters(filter).every((name) => known(by, name))
      ? ofCounters(database, by, filter, total)
      : ofFindings(database, by, await selected()),
  );
}

async function ofCounters(database: EngineDatabase, by: Ranked, filter: FindingFilter, total: number): Promise<Top[]> {
  const selects = selectsCell(
    filter,
    askedFilters(filter).filter((name) => name !== by),
  );
  const named = filter[by];
  const condition = named ? { _id: { $in: named.map((value) => counterId(database, by, [value])) } } : { by, total: { $gt: 0 } };
  const options = {
    sort: { total: -1, worst: -1, value: 1 },
    fields: ['value', 'counts', 'total', 'worst', 'title'],
    batchSize: BATCH,
  } as const;
  const top: Top[] = [];
  let met = 0;
  for await (const row of database.collection(findingCounters).scan(condition, options)) {
    const last = top.length === TOP ? top.at(-1)! : undefined;
    // what a filter selects of a row is never more than all of it
    if (last && compare({ value: row.value!, count: row.total!, worst: row.worst! }, last) > 0) break;
    const cells = cellsOf(row).filter(selects);
    if (cells.length === 0) continue;
    const one = topOfRow(by, row, cells);
    top.push(one);
    top.sort(compare);
    top.length = Math.min(top.length, TOP);
    met += one.count;
    if (met >= total) break;
  }
  return top;
}

const topOfRow = (by: Ranked, row: CounterRow, cells: readonly Cell[]): Top => ({
  value: row.value!,
  label: by === 'rule_id' ? row.title! : cells[0]!.resource_type!,
  worst: Math.max(...cells.map(({ severity }) => severityRank(severity))),
  count: cells.reduce((sum, { count }) => sum + count, 0),
});

async function ofFindings(database: EngineDatabase, by: Ranked, condition: Filter): Promise<Top[]> {
  const label = { $first: `$${LABELS[by]}` };
  const groups = await database
    .collection(findings)
    .aggregate<{ _id: string } & Omit<Top, 'value'>>([
      { $match: condition },
      { $group: { _id: `$${by}`, label, worst: { $max: '$severity_rank' }, count: { $sum: 1 } } },
      { $sort: { count: -1, worst: -1, _id: 1 } },
      { $limit: TOP },
    ]);
  return groups.map(({ _id, ...group }) => ({ value: _id, ...group }));
}
