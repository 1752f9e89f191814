import type { Provider } from '../../schema/model.js';
import type { EngineContext } from '../engine/context.js';
import { defineReadOperation, readModel, type ReadModel } from './read-model.js';

const model: ReadModel = { name: 'results', engine: 'check' };

/** How many resources of one provider each rule passed and failed: the n-th number of every list is that of the n-th rule. */
export interface RuleTallies {
  provider: Provider;
  rule_ids: string[];
  passed: number[];
  failed: number[];
  not_applicable: number[];
  not_evaluated: number[];
  /** When a resource was last evaluated. */
  evaluated_at: string;
}

interface Part extends Record<string, unknown> {
  provider: readonly Provider[] | null;
  account_id: readonly string[] | null;
}

// Lists of scalars: thousands of rules cost no object each.
const tallies = defineReadOperation<Part, RuleTallies[]>(
  model,
  `query($provider: [Provider!], $account_id: [String!]) { result: rule_tallies_model(provider: $provider, account_id: $account_id) {
    provider rule_ids passed failed not_applicable not_evaluated evaluated_at
  } }`,
);

/**
 * The results of posture rules over a part of the estate, an entry a provider.
 * @param part only these providers and accounts; all where null or absent
 * @throws as `readModel`
 */
export const readRuleTallies = (
  context: EngineContext,
  { provider = null, account_id = null }: Partial<Pick<Part, 'provider' | 'account_id'>>,
): Promise<RuleTallies[]> => readModel(context, tallies, { provider, account_id });
