import type { FindingFacts } from '../engine/finding-facts.js';
import type { TransactionOf } from '../store/query.js';
import { DueDates } from './sla/due-dates.js';
import { SuppressionsInForce, type TagServices } from './suppressions/in-force.js';
import { TriageRulesInForce } from './triage-rules/in-force.js';

/** What a tenant has set that changes of findings go by. */
export interface Policies {
  readonly suppressing: SuppressionsInForce;
  readonly dueDates: DueDates;
  readonly triaging: TriageRulesInForce;
}

/** For changes that none has a say in. */
export const NO_POLICIES: Policies = { suppressing: SuppressionsInForce.NONE, dueDates: new DueDates(), triaging: TriageRulesInForce.NONE };

/** What a tenant has set for the findings of one engine. @param resourceUids those of the findings that are going to be changed */
export async function readPolicies(
  services: TagServices,
  tenantId: string,
  facts: Pick<FindingFacts, 'engine' | 'viewSegment' | 'permission'>,
  now: Date,
  resourceUids: readonly string[],
  transaction: TransactionOf,
): Promise<Policies> {
  const tenant = services.database.tenant(tenantId);
  const suppressing = await SuppressionsInForce.read(tenant, facts, now, transaction);
  await suppressing.learnTags(services, tenantId, resourceUids);
  const triaging = await TriageRulesInForce.read(services, tenantId, facts, resourceUids, transaction);
  return { suppressing, dueDates: await DueDates.read(tenant, transaction), triaging };
}
