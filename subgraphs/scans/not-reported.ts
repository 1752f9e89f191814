import type { EngineContext } from '../../kit/engine/context.js';
import type { ClosedBecause } from '../../kit/engine/finding-sink.js';
import { EVALUATION_SOURCE } from '../../kit/engine/rule-results.js';
import { SET_ASIDE } from '../../kit/findings/lifecycle.js';
import { findings } from '../../kit/findings/row.js';
import type { Judged } from './evaluation.js';

/** The rules whose findings people have set aside, by resource: these stand for no others. @param owners the engines that hold them */
export async function setAsideOn(
  { auth, services }: EngineContext,
  owners: readonly string[],
  resourceUids: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const rules = new Map<string, string[]>();
  const found = await services.database
    .tenant(auth.tenant_id)
    .engines(owners)
    .collection(findings)
    .find(
      { resource_uid: { $in: resourceUids }, source: EVALUATION_SOURCE, status: { $in: SET_ASIDE } },
      { fields: ['resource_uid', 'rule_id'] },
    );
  for (const { resource_uid, rule_id } of found) rules.set(resource_uid, [...(rules.get(resource_uid) ?? []), rule_id]);
  return rules;
}

/** Why the failure of a rule is not reported; undefined where it is, or there is none. */
export function whyNotReported({ implied, outside }: Judged, ruleId: string, profile: string): ClosedBecause | undefined {
  const implied_by = implied[ruleId];
  if (implied_by !== undefined) return { reason: 'implied', implied_by };
  return outside.includes(ruleId) ? { reason: 'profile', profile } : undefined;
}
