import { systemClock } from '../../kit/base/clock.js';
import type { Database } from '../../kit/store/database.js';

/** What a store of findings works with where there is no inventory. */
export const storeServices = (database: Database) => ({
  database,
  clock: systemClock,
  findingEngines: [],
  ingest: { openFindings: () => Promise.resolve(), tagsOf: () => Promise.resolve(new Map<string, Record<string, unknown>>()) },
});
