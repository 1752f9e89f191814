import type { BoundedCache } from '../base/bounded-cache.js';
import type { EngineDatabase, TenantDatabase } from '../store/database.js';
import { keptUnder } from '../store/kept.js';
import { counterId, findingCounters } from './counters.js';
import { askedValues, type FindingFilter } from './filters.js';

/** The version of one engine's findings of a tenant: another one after each change of any of them. Undefined where none was ever stored. */
export async function versionOf(database: EngineDatabase): Promise<string | undefined> {
  const row = await database.collection(findingCounters).findOne({ _id: counterId(database, 'all', []) }, { fields: ['version'] });
  return row?.version;
}

/**
 * What `read` answers about the findings of one engine and tenant that a filter selects, kept in this process until any of them changes.
 * @param what the name of the answer
 * @param among where it is kept, if not among the small answers
 */
export async function keptUntilChange<T>(
  database: EngineDatabase,
  what: string,
  filter: FindingFilter,
  read: () => Promise<T>,
  among?: BoundedCache<{ readonly answer: unknown }>,
): Promise<T> {
  const version = await versionOf(database);
  if (version === undefined) return read();
  return keptUnder([database.tenantId, database.engine, version, what, askedValues(filter)], read, among);
}

/** The version of several engines' findings together. */
export async function countersVersion(tenant: TenantDatabase, engines: readonly string[]): Promise<string> {
  const ids = engines.map((engine) => counterId(tenant.engine(engine), 'all', []));
  const rows = await tenant
    .engines(engines)
    .collection(findingCounters)
    .find({ _id: { $in: ids } }, { sort: { _id: 1 }, fields: ['version'] });
  return rows.map(({ version }) => version).join();
}
