import { derivedRules } from '../../../catalog/derived.js';
import { WINDOW_DAYS } from '../../../catalog/entitlements/evidence.js';
import { derivedFindings, type DerivedFailure } from '../../../kit/findings/derived.js';
import { ciemEntitlements, type EntitlementRow } from './records.js';

/** At most this share of the rights that would have been seen, and so many unused ones at least, are few. */
const FEW = 0.2;
const MANY_UNUSED = 10;
/** Patterns that evidence names at most. */
const MOST = 50;

/** Identities that use nothing of what they are given, or little of it. */
export const entitlementFindings = derivedFindings({
  rules: derivedRules('entitlements'),
  async *failures(context) {
    for await (const row of context.collection(ciemEntitlements).scan({ unused_rights: { $gt: 0 } })) {
      const rule_id = ruleOf(row);
      if (rule_id !== null) yield failureOf(rule_id, row);
    }
  },
});

function ruleOf({ unused, admin, privilege, judged_rights, unused_rights }: EntitlementRow): string | null {
  if (unused === true) return 'palisade-entitlements-unused';
  const isLittle = unused_rights >= MANY_UNUSED && judged_rights - unused_rights <= FEW * judged_rights;
  if (!isLittle || unused === null || privilege === null || privilege === 'read') return null;
  return admin === 'allowed' ? 'palisade-administrator-hardly-used' : 'palisade-entitlements-excessive';
}

function failureOf(rule_id: string, row: EntitlementRow): DerivedFailure {
  const { resource_uid, allow, granted_rights, used_rights, judged_rights, unused_rights, last_used_at, unused_services } = row;
  const status_detail =
    `${unused_rights} of ${judged_rights} rights whose use would have been seen in ${WINDOW_DAYS} days were not used` +
    (last_used_at === null ? '.' : `; it was last used at ${last_used_at.toISOString()}.`);
  const counts = { granted_rights, used_rights, judged_rights, unused_rights, window_days: WINDOW_DAYS };
  const evidence = { principal: resource_uid, granted_actions: allow.slice(0, MOST), unused_services: unused_services.slice(0, MOST) };
  return { rule_id, resource: row, evidence: { ...evidence, ...counts, status_detail } };
}
