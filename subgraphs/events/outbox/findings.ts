import { permissionsOf } from '../../../schema/permissions.js';
import type { AuditRow } from '../../_kit/audit.js';
import { systemAuthContext } from '../../_kit/auth-context.js';
import type { EngineServices } from '../../_kit/context.js';
import { fieldPrefix } from '../../_kit/engine.js';

/** What events tell of a finding. */
export interface EventFinding {
  finding_id: string;
  /** View segment of the engine, as in /views/finding/{engine}/{id}. */
  engine: string;
  rule_id: string;
  title: string;
  severity: string;
  risk_score: number;
  provider: string;
  account_id: string | null;
  region: string;
  resource_type: string;
  resource_uid: string;
  resource_name: string | null;
}

const FIELDS = `finding_id engine rule_id title severity risk_score provider account_id region resource_type resource_uid resource_name`;
/** Ids in one call. */
const MAX_IDS = 1_000;
const TARGET = /^finding:([^/]+)\/(.+)$/;

/**
 * The findings that audit entries are about, as they are now, by the entry's target. A finding that is gone is not among them.
 * @throws when an engine does not answer: the entries can be handed out when it does
 */
export async function findingsBehind(
  services: EngineServices,
  tenantId: string,
  entries: readonly AuditRow[],
): Promise<ReadonlyMap<string, EventFinding>> {
  const idsOf = new Map<string, Set<string>>();
  for (const { target } of entries) {
    const [, engine, id] = TARGET.exec(target ?? '') ?? [];
    if (engine && id) idsOf.set(engine, (idsOf.get(engine) ?? new Set()).add(id));
  }
  const found = new Map<string, EventFinding>();
  for (const [engine, ids] of idsOf) {
    if (!services.findingEngines.some((facts) => facts.engine === engine)) continue;
    const all = [...ids];
    for (let start = 0; start < all.length; start += MAX_IDS)
      for (const finding of await ask(services, tenantId, engine, all.slice(start, start + MAX_IDS)))
        found.set(`finding:${engine}/${finding.finding_id}`, finding);
  }
  return found;
}

async function ask({ caller }: EngineServices, tenantId: string, engine: string, ids: readonly string[]): Promise<EventFinding[]> {
  const query = `query($ids: [ID!]!) { findings: ${fieldPrefix(engine)}_findings_by_id(finding_ids: $ids) { ${FIELDS} } }`;
  const tenant = { tenant_id: tenantId, organization_id: 'system', plan: 'enterprise' } as const;
  const auth = systemAuthContext(tenant, 'tenant_admin', permissionsOf('tenant_admin'));
  const { data, errors } = await caller.call<{ findings: EventFinding[] }>({ engine, query, variables: { ids }, auth });
  if (errors?.length) throw new Error(`the findings of ${engine} could not be read: ${errors[0]!.message}`);
  return data!.findings;
}
