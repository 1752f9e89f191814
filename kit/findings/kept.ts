import type { EngineDatabase } from '../store/database.js';
import { keptUnder } from '../store/kept.js';
import { counterId, findingCounters } from './counters.js';
import { askedFilters, type FindingFilter } from './filters.js';

/**
 * What `read` answers about the findings of one engine and tenant that a filter selects, kept in this process until any of them changes.
 * @param what the name of the answer
 */
export async function keptUntilChange<T>(
  database: EngineDatabase,
  what: string,
  filter: FindingFilter,
  read: () => Promise<T>,
): Promise<T> {
  const row = await database.collection(findingCounters).findOne({ _id: counterId(database, 'all', []) }, { fields: ['version'] });
  if (row?.version === undefined) return read();
  const asked = askedFilters(filter).map((name) => [name, filter[name]]);
  return keptUnder([database.tenantId, database.engine, row.version, what, asked], read);
}
