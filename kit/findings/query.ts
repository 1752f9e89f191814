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
  if (filter.q) return (await searchOnce(database, filter)).total;
  return keptUntilChange(database, 'count', filter, () => database.collection(findings).count(findingCondition(filter)));
}
