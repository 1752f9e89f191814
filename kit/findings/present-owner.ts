import { holds, type AuthContext } from '../base/auth-context.js';
import type { EngineServices } from '../engine/context.js';
import { findingRowId, findings } from './row.js';

/** The engines whose findings a caller may read. */
export const readableEngines = (services: Pick<EngineServices, 'findingEngines'>, auth: AuthContext): string[] =>
  services.findingEngines.filter(({ permission }) => holds(auth, permission)).map(({ engine }) => engine);

/**
 * The engine that holds a finding which `former` held once (decision 37), among those that the caller may read; null when none does:
 * to who may not read the present one, the finding is not there.
 */
export async function presentOwner(
  services: Pick<EngineServices, 'database' | 'findingEngines'>,
  auth: AuthContext,
  former: string,
  id: string,
): Promise<string | null> {
  const engines = readableEngines(services, auth);
  const rows = services.database.tenant(auth.tenant_id).engines(engines).collection(findings);
  const ids = engines.map((engine) => findingRowId(auth.tenant_id, engine, id));
  return (await rows.findOne({ _id: { $in: ids }, former_engines: former }, { fields: ['engine'] }))?.engine ?? null;
}
