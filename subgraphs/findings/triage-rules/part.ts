import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { triageRules } from '../../../kit/findings/triage-rules/records.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import type { TriageRuleInput } from './input.js';
import { listTriageRules, removeTriageRule, setTriageRule } from './service.js';

const tag = 'triage-rules';

/** Rules that assign, date and label findings as they open. */
export const triageRulesPart: EnginePart = {
  prefixes: ['triage-rules'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { triage_rules: (_, args: PageArguments, context) => listTriageRules(context, args) },
    Mutation: {
      set_triage_rule: (_, args: { id: string; input: TriageRuleInput }, context) => setTriageRule(context, args.id, args.input),
      remove_triage_rule: (_, args: { id: string }, context) => removeTriageRule(context, args.id),
    },
  },
  routes: [
    { method: 'GET', path: '/triage-rules', field: 'triage_rules', tag },
    { method: 'PUT', path: '/triage-rules/{id}', field: 'set_triage_rule', tag },
    { method: 'DELETE', path: '/triage-rules/{id}', field: 'remove_triage_rule', status: 204, tag },
  ],
  collections: [triageRules],
};
