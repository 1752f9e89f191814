import type { EnginePart } from '../../../kit/engine/engine.js';
import { findingAgeing, type AgeingArguments } from './ageing.js';
import { typeDefs } from './schema.js';

/** How old findings are, and how long they take. */
export const ageingPart: EnginePart = {
  prefixes: ['findings'],
  typeDefs,
  resolvers: { Query: { finding_ageing: (_, args: AgeingArguments, context) => findingAgeing(context, args) } },
  routes: [{ method: 'GET', path: '/findings/ageing', field: 'finding_ageing', tag: 'findings' }],
};
