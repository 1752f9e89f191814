import { defineEngine } from '../../kit/engine/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { CLOSE_RULE, closeFindingsJob, customRulesInForce } from './custom-rules.js';
import { ingestRules } from './ingest.js';
import { customRules, ruleProfiles, ruleSettings, rules } from './records.js';
import { posturePart } from './posture/part.js';
import { chosenProfile } from './posture/profile.js';
import { resolvers } from './resolvers.js';
import { settingsOf } from './service.js';

export const engine = defineEngine({
  name: 'rules',
  label: 'Rules',
  description: 'The rule catalog, what tenants change in it, and their own rules.',
  prefixes: ['rules'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/rules', field: 'rules', tag: 'rules' },
    { method: 'GET', path: '/rules/{rule_id}', field: 'rule', tag: 'rules' },
    { method: 'PUT', path: '/rules/{rule_id}/settings', field: 'set_rule_settings', tag: 'rules' },
    { method: 'POST', path: '/rules/custom', field: 'create_custom_rule', status: 201, tag: 'custom-rules' },
    { method: 'PATCH', path: '/rules/custom/{rule_id}', field: 'update_custom_rule', tag: 'custom-rules' },
    { method: 'DELETE', path: '/rules/custom/{rule_id}', field: 'retire_custom_rule', status: 204, tag: 'custom-rules' },
    { method: 'POST', path: '/rules/custom/validate', field: 'validate_custom_rule', tag: 'custom-rules' },
  ],
  collections: [rules, ruleSettings, ruleProfiles, customRules],
  parts: [posturePart],
  jobs: { [CLOSE_RULE]: closeFindingsJob },
  ingest: {
    rules: ingestRules,
    tenantRules: async (context) => ({
      ...(await chosenProfile(context)),
      settings: [...(await settingsOf(context)).values()],
      rules: await customRulesInForce(context),
    }),
    rulesRevision: async (context) => (await chosenProfile(context)).revision,
  },
});
