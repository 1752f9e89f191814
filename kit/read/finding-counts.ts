import { PROVIDERS, SEVERITIES, type Provider, type Severity } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { readableEngines } from '../findings/present-owner.js';
import { findingRowId, findings } from '../findings/row.js';

export type CountsByProvider = Record<Provider, Record<Severity, number>>;

/** Findings that are asked for at a time. */
const AT_ONCE = 500;

/**
 * Counts findings by provider and severity, of the engines that the caller may read.
 * @param named each by its engine and id, once
 */
export async function countFindingsByProvider(
  { auth, services }: EngineContext,
  named: readonly { readonly engine: string; readonly finding_id: string }[],
): Promise<CountsByProvider> {
  const engines = readableEngines(services, auth);
  const rows = services.database.tenant(auth.tenant_id).engines(engines).collection(findings);
  const ids = named
    .filter(({ engine }) => engines.includes(engine))
    .map(({ engine, finding_id }) => findingRowId(auth.tenant_id, engine, finding_id));
  const none = () => Object.fromEntries(SEVERITIES.map((severity) => [severity, 0])) as Record<Severity, number>;
  const counts = Object.fromEntries(PROVIDERS.map((provider) => [provider, none()])) as CountsByProvider;
  for (let at = 0; at < ids.length; at += AT_ONCE)
    for (const { provider, severity } of await rows.find(
      { _id: { $in: ids.slice(at, at + AT_ONCE) } },
      { fields: ['provider', 'severity'] },
    ))
      counts[provider][severity]++;
  return counts;
}
