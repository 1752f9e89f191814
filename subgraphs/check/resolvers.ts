import type { EngineDefinition } from '../../kit/engine/engine.js';
import { listRuleResults, type RuleResultFilter } from './results.js';
import { sumTallies, type TallyScope } from './tallies.js';

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    check_rule_results: (_, args: RuleResultFilter, context) => listRuleResults(context, args),
    rule_tallies_model: (_, args: TallyScope, context) => sumTallies(context, args),
  },
};
