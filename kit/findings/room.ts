import { allowancesOf } from '../base/quotas.js';
import type { EngineContext } from '../engine/context.js';
import type { FindingSink, PreparedObservation } from '../engine/finding-sink.js';
import { countStored } from './counters.js';

/** How many findings a tenant's plan allows, and how many it has, of all engines. */
export async function roomForFindings({ services, auth }: EngineContext): Promise<{ allowed: number; used: number }> {
  const engines = services.findingEngines.map(({ engine }) => engine);
  const used = await countStored(services.database.tenant(auth.tenant_id), engines);
  return { used, allowed: allowancesOf(services.config, auth.plan).findings };
}

/** The observations of a batch that are stored already, and the first new ones for which there is room; how many findings were left out. */
export async function admitFindings(
  context: EngineContext,
  store: FindingSink,
  batch: readonly PreparedObservation[],
): Promise<{ admitted: readonly PreparedObservation[]; leftOut: number }> {
  const { used, allowed } = await roomForFindings(context);
  const room = Math.max(0, allowed - used);
  if (batch.length <= room) return { admitted: batch, leftOut: 0 };
  const admitted = new Set((await store.known(batch)).keys());
  const most = admitted.size + room;
  const fresh = new Set<string>();
  for (const { id, result } of batch) {
    if (result !== 'FAIL' || admitted.has(id)) continue;
    if (admitted.size < most) admitted.add(id);
    else fresh.add(id);
  }
  return { admitted: batch.filter(({ id }) => admitted.has(id)), leftOut: fresh.size };
}
