import type { EnginePart } from '../../../kit/engine/engine.js';
import { findingFacets } from './facets.js';
import { findingGroups, type GroupArguments } from './groups.js';
import { typeDefs } from './schema.js';

/** The findings of all engines in groups, and the values by which they are filtered. */
export const groupsPart: EnginePart = {
  prefixes: ['findings'],
  typeDefs,
  resolvers: {
    Query: {
      finding_groups: (_, args: GroupArguments, context) => findingGroups(context, args),
      finding_facets: (_, args: Parameters<typeof findingFacets>[1], context) => findingFacets(context, args),
    },
  },
  routes: [
    { method: 'GET', path: '/findings/groups', field: 'finding_groups', tag: 'findings' },
    { method: 'GET', path: '/findings/facets', field: 'finding_facets', tag: 'findings' },
  ],
};
