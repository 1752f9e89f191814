import type { EngineDatabase } from '../store/database.js';
import { countedCells } from './counted.js';
import { sumCells } from './counters.js';
import { findingCondition, type FindingFilter } from './filters.js';
import { keptUntilChange } from './kept.js';
import { findings } from './row.js';
import { searchOnce } from './search.js';

/** The exact number of findings that a filter selects: from the counters where they know, else counted once until a finding changes. */
export async function countFindings(database: EngineDatabase, filter: FindingFilter): Promise<number> {
  const cells = await countedCells(database, filter);
  if (cells) return sumCells(cells).total;
  return keptUntilChange(database, 'count', filter, async () =>
    filter.q ? (await searchOnce(database, filter)).total : database.collection(findings).count(findingCondition(filter)),
  );
}
