import type { Provider } from '../../schema/model.js';
import type { EngineContext } from '../_kit/context.js';
import { ruleTallies, type RuleTallyRow } from '../_kit/rule-results.js';
import type { RuleTally } from './score.js';

/** Part of the estate that is scored; all of it when nothing is named. */
export interface ScoreScope {
  provider?: Provider[] | null;
  account_id?: string[] | null;
}

/** Rule results of a part of the estate, added up by rule. */
export interface Tallies {
  byRule: ReadonlyMap<string, RuleTally>;
  byProvider: ReadonlyMap<Provider, ReadonlyMap<string, RuleTally>>;
  evaluatedAt: Date | null;
}

/** Reads the stored results that scores are made of. */
export async function readTallies(context: EngineContext, { provider, account_id }: ScoreScope): Promise<Tallies> {
  const filter = { ...(provider && { provider: { $in: provider } }), ...(account_id && { account_id: { $in: account_id } }) };
  const byRule = new Map<string, RuleTally>();
  const byProvider = new Map<Provider, Map<string, RuleTally>>();
  let evaluatedAt: Date | null = null;
  for (const row of await context.collection(ruleTallies).find(filter)) {
    add(byRule, row);
    const own = byProvider.get(row.provider) ?? new Map<string, RuleTally>();
    byProvider.set(row.provider, own);
    add(own, row);
    if (evaluatedAt === null || row.evaluated_at > evaluatedAt) evaluatedAt = row.evaluated_at;
  }
  return { byRule, byProvider, evaluatedAt };
}

function add(tallies: Map<string, RuleTally>, row: RuleTallyRow): void {
  const sum = tallies.get(row.rule_id) ?? { PASS: 0, FAIL: 0, NOT_APPLICABLE: 0, NOT_EVALUATED: 0 };
  tallies.set(row.rule_id, sum);
  for (const verdict of ['PASS', 'FAIL', 'NOT_APPLICABLE', 'NOT_EVALUATED'] as const) sum[verdict] += row[verdict];
}
