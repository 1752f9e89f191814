import type { EngineDatabase } from '../store/database.js';
import type { Filter } from '../store/query.js';
import { sumCells, type Cell } from './counters.js';
import type { FindingFilter } from './filters.js';
import { keptUntilChange } from './kept.js';
import { countedCells } from './counted.js';
import { countFindings } from './query.js';
import { severityOfRank } from './risk-score.js';
import { findings, type FindingRow } from './row.js';
import { selection } from './search.js';
import { topOf } from './top.js';

/** Number of findings that a filter selects, by severity and status, and the rules and resources that have most of them. */
export async function summarize(database: EngineDatabase, asked: FindingFilter) {
  const filter = await withoutIdleText(database, asked);
  const selected = () => selection(database, filter);
  const sums = sumCells((await countedCells(database, filter)) ?? (await scannedCells(database, filter, selected)));
  const [rules, resources] = await Promise.all([
    topOf(database, 'rule_id', filter, sums.total, selected),
    topOf(database, 'resource_uid', filter, sums.total, selected),
  ]);
  return {
    ...sums,
    top_rules: rules.map(({ value, label, worst, count }) => ({ rule_id: value, title: label, severity: severityOfRank(worst), count })),
    top_resources: resources.map(({ value, label, worst, count }) => ({
      resource_uid: value,
      resource_type: label,
      severity: severityOfRank(worst),
      count,
    })),
  };
}

/** The filter without its text where every finding that the rest selects has it. */
async function withoutIdleText(database: EngineDatabase, filter: FindingFilter): Promise<FindingFilter> {
  if (!filter.q) return filter;
  const { q: _, ...others } = filter;
  const [found, all] = await Promise.all([countFindings(database, filter), countFindings(database, others)]);
  return found === all ? others : filter;
}

/** The cells of what counters do not tell apart. */
function scannedCells(database: EngineDatabase, filter: FindingFilter, selected: () => Promise<Filter>): Promise<Cell[]> {
  return keptUntilChange(database, 'cells', filter, async () => {
    // what holds a text is counted without a look at every finding, most often
    if (filter.q && (await countFindings(database, filter)) === 0) return [];
    const groups = await database
      .collection(findings)
      .aggregate<{ _id: Pick<FindingRow, 'severity' | 'status' | 'provider'>; count: number }>([
        { $match: await selected() },
        { $group: { _id: { severity: '$severity', status: '$status', provider: '$provider' }, count: { $sum: 1 } } },
      ]);
    return groups.map(({ _id, count }) => ({ ..._id, count }));
  });
}
