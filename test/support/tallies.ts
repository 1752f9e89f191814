import { EVALUATION_SOURCE, RULE_VERDICTS, type RuleVerdict } from '../../kit/engine/rule-results.js';
import { findings } from '../../kit/findings/row.js';
import { ruleResults } from '../../kit/findings/rule-results.js';
import { ruleTallies } from '../../kit/findings/rule-tallies.js';
import type { Database } from '../../kit/store/database.js';

/** `rule|provider|account` -> how many resources each verdict has; cells of nothing are left out. */
export type Counted = Record<string, Partial<Record<RuleVerdict, number>>>;

/** The tallies as they are stored. */
export async function storedTallies(database: Database, tenant: string): Promise<Counted> {
  const counted: Counted = {};
  for (const row of await database.tenant(tenant).collection(ruleTallies).find({})) {
    const verdicts = RULE_VERDICTS.filter((verdict) => row[verdict] !== 0).map((verdict) => [verdict, row[verdict]] as const);
    if (verdicts.length > 0) counted[[row.rule_id, row.provider, row.account_id].join('|')] = Object.fromEntries(verdicts);
  }
  return counted;
}

/** The tallies as they should be: every result and every finding of a posture rule looked at (decision 41). */
export async function recount(database: Database, tenant: string): Promise<Counted> {
  const judged = await database.system(findings).find({ tenant_id: tenant, source: EVALUATION_SOURCE }, { sort: { _id: 1 } });
  const results = await database.tenant(tenant).collection(ruleResults).find({});
  const pairs = new Map<string, { rule_id: string; result?: RuleVerdict; row?: (typeof results)[number]; on: typeof judged }>();
  const pair = (rule_id: string, uid: string) => {
    const key = `${rule_id}|${uid}`;
    if (!pairs.has(key)) pairs.set(key, { rule_id, on: [] });
    return pairs.get(key)!;
  };
  for (const row of results) for (const { rule_id, result } of row.results) Object.assign(pair(rule_id, row.resource_uid), { result, row });
  // what another rule's finding stands for, or the profile leaves out, has no say
  const own = judged.filter(({ resolved_by }) => !(resolved_by && ('implied_by' in resolved_by || 'profile' in resolved_by)));
  for (const finding of own) pair(finding.rule_id, finding.resource_uid).on.push(finding);
  const counted: Counted = {};
  for (const { rule_id, result, row, on } of pairs.values()) {
    const failing = on.filter(
      ({ status, absent_since }) => ['OPEN', 'IN_PROGRESS'].includes(status) || (status === 'SUPPRESSED' && !absent_since),
    );
    const verdict = failing.length > 0 ? 'FAIL' : result === 'FAIL' && on.length > 0 ? 'PASS' : result;
    if (verdict === undefined) continue;
    const { provider, account_id } = row ?? failing[0]!;
    const cell = (counted[[rule_id, provider, account_id].join('|')] ??= {});
    cell[verdict] = (cell[verdict] ?? 0) + 1;
  }
  return counted;
}
