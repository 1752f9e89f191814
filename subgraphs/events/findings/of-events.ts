import type { AuditEntry } from '../../../kit/audit/entries.js';
import type { EngineServices } from '../../../kit/engine/context.js';
import { FindingReader, workerAuth, type ReadFinding } from './reader.js';
import { findingTarget } from '../../../kit/findings/row.js';
import { findingOfTarget } from './target.js';

/**
 * The findings that audit entries are about, as they are now, by the entry's target. A finding that is gone is not among them.
 * @throws when an engine does not answer: the entries can be handed out when it does
 */
export async function findingsBehind(
  services: EngineServices,
  tenantId: string,
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, ReadFinding>> {
  const idsOf = new Map<string, Set<string>>();
  for (const { target } of entries) {
    const named = findingOfTarget(target);
    if (named) idsOf.set(named.engine, (idsOf.get(named.engine) ?? new Set()).add(named.finding_id));
  }
  const reader = new FindingReader(services, workerAuth(tenantId, 'system'));
  const found = new Map<string, ReadFinding>();
  for (const { engine } of services.findingEngines)
    for (const finding of await reader.byIds(engine, [...(idsOf.get(engine) ?? [])]))
      found.set(findingTarget(engine, finding.finding_id), finding);
  return found;
}
