import type { EngineContext } from '../../kit/engine/context.js';
import type { Provider } from '../../schema/model.js';
import { ruleTallies, type RuleTallyRow } from '../../kit/findings/rule-tallies.js';

/** Part of the estate whose results are added up; all of it when nothing is named. */
export interface TallyScope {
  provider?: Provider[] | null;
  account_id?: string[] | null;
}

type Sum = Pick<RuleTallyRow, 'PASS' | 'FAIL' | 'NOT_APPLICABLE' | 'NOT_EVALUATED' | 'evaluated_at'>;

/** How many resources each rule passed and failed, over the accounts of each provider. */
export async function sumTallies(context: EngineContext, { provider, account_id }: TallyScope) {
  const filter = { ...(provider && { provider: { $in: provider } }), ...(account_id && { account_id: { $in: account_id } }) };
  const byProvider = new Map<Provider, Map<string, Sum>>();
  for (const row of await context.collection(ruleTallies).find(filter)) {
    const rules = byProvider.get(row.provider) ?? new Map<string, Sum>();
    byProvider.set(row.provider, rules);
    const sum = rules.get(row.rule_id);
    rules.set(row.rule_id, sum ? added(sum, row) : row);
  }
  return [...byProvider].map(([of, rules]) => {
    const sums = [...rules.values()];
    return {
      provider: of,
      rule_ids: [...rules.keys()],
      passed: sums.map(({ PASS }) => PASS),
      failed: sums.map(({ FAIL }) => FAIL),
      not_applicable: sums.map(({ NOT_APPLICABLE }) => NOT_APPLICABLE),
      not_evaluated: sums.map(({ NOT_EVALUATED }) => NOT_EVALUATED),
      evaluated_at: sums.reduce((latest, { evaluated_at }) => (evaluated_at > latest ? evaluated_at : latest), sums[0]!.evaluated_at),
    };
  });
}

const added = (one: Sum, other: Sum): Sum => ({
  PASS: one.PASS + other.PASS,
  FAIL: one.FAIL + other.FAIL,
  NOT_APPLICABLE: one.NOT_APPLICABLE + other.NOT_APPLICABLE,
  NOT_EVALUATED: one.NOT_EVALUATED + other.NOT_EVALUATED,
  evaluated_at: one.evaluated_at > other.evaluated_at ? one.evaluated_at : other.evaluated_at,
});
