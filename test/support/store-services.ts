import { systemClock } from '../../kit/base/clock.js';
import type { RiskContext } from '../../kit/engine/risk-context.js';
import type { Role } from '../../schema/permissions.js';
import type { Database } from '../../kit/store/database.js';

/** What there is to be known of resources and people where there are none. */
const NOTHING = {
  tagsOf: () => Promise.resolve(new Map<string, Record<string, unknown>>()),
  riskContextsOf: () => Promise.resolve(new Map<string, RiskContext>()),
  membersOf: () => Promise.resolve(new Map<string, Role>()),
};

/** What a store of findings works with where there is no inventory. */
export const storeServices = (database: Database) => ({
  database,
  clock: systemClock,
  findingEngines: [],
  ingest: { openFindings: () => Promise.resolve(), ...NOTHING },
});
