import type { EngineServices } from '../kit/engine/context.js';
import { lastChange } from './advisory-changes.js';
import { componentMatches } from './records.js';

/** Asks for every tenant whose components have not been held against all changes of advisories that they are. */
export async function askForMatches({ database, storeClock }: Pick<EngineServices, 'database' | 'storeClock'>): Promise<void> {
  const end = await lastChange(database);
  for (let last = ''; ;) {
    // each tenant is found with one look into the index
    const next = await database.system(componentMatches).findOne({ tenant_id: { $gt: last } }, { sort: { tenant_id: 1 } });
    if (next === null) return;
    last = next.tenant_id;
    // whoever is at it sees that there is more
    const asked = { $set: { due_at: storeClock.now() }, $inc: { revision: 1 } };
    if (next.position < end) await database.tenant(last).collection(componentMatches).update({ _id: next._id }, asked);
  }
}
