import type { EngineDefinition } from '../../kit/engine/engine.js';
import { loaderOf } from '../../kit/engine/loader.js';
import { createCustomRule, retireCustomRule, updateCustomRule, type CustomRuleInput } from './custom-rules.js';
import { findRule, findRules, listRules, type RuleFilter } from './service.js';
import { setRuleSettings, type RuleSettingsInput } from './settings.js';
import { tryCustomRule } from './try-rule.js';

const ruleLoader = loaderOf(findRules);

export const resolvers: EngineDefinition['resolvers'] = {
  Query: {
    rules: (_, args: RuleFilter, context) => listRules(context, args),
    rule: (_, args: { rule_id: string }, context) => findRule(context, args.rule_id),
    rules_model: (_, args: { rule_ids: string[] }, context) => findRules(context, args.rule_ids),
  },
  Mutation: {
    set_rule_settings: (_, args: { rule_id: string; input: RuleSettingsInput }, context) =>
      setRuleSettings(context, args.rule_id, args.input),
    create_custom_rule: (_, args: { input: CustomRuleInput }, context) => createCustomRule(context, args.input),
    update_custom_rule: (_, args: { rule_id: string; input: CustomRuleInput }, context) =>
      updateCustomRule(context, args.rule_id, args.input),
    retire_custom_rule: (_, args: { rule_id: string }, context) => retireCustomRule(context, args.rule_id),
    validate_custom_rule: (_, args: { input: CustomRuleInput }, context) => tryCustomRule(context, args.input),
  },
  Rule: {
    __resolveReference: async (reference: { rule_id: string }, context) => (await ruleLoader(context).load(reference.rule_id)) ?? reference,
  },
};
