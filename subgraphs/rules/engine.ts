import { defineEngine } from '../_kit/engine.js';
import { readSchema } from '../_kit/read-schema.js';
import { ingestRules } from './ingest.js';
import { rules } from './records.js';
import { resolvers } from './resolvers.js';

export const engine = defineEngine({
  name: 'rules',
  label: 'Rules',
  description: 'The rules behind findings.',
  prefixes: ['rules'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/rules', field: 'rules', tag: 'rules' },
    { method: 'GET', path: '/rules/{rule_id}', field: 'rule', tag: 'rules' },
  ],
  collections: [rules as never],
  ingest: { rules: ingestRules },
});
