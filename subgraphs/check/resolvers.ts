import type { EngineDefinition } from '../../kit/engine/engine.js';
import { listRuleResults, type RuleResultFilter } from './results.js';

export const resolvers: EngineDefinition['resolvers'] = {
  Query: { check_rule_results: (_, args: RuleResultFilter, context) => listRuleResults(context, args) },
};
