import type { EngineDefinition } from '../_kit/engine.js';
import { loaderOf } from '../_kit/loader.js';
import { findRule, findRules, listRules, type RuleFilter } from './service.js';

const ruleLoader = loaderOf(findRules);

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    rules: (_, args: RuleFilter, context) => listRules(context, args),
    rule: (_, args: { rule_id: string }, context) => findRule(context, args.rule_id),
  },
  Rule: {
    __resolveReference: async (reference: { rule_id: string }, context) => (await ruleLoader(context).load(reference.rule_id)) ?? reference,
  },
};
