import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { searchAll, type SearchArguments } from './search.js';

/** One search box over everything. */
export const searchPart: EnginePart = {
  prefixes: ['search'],
  typeDefs: readSchema(import.meta.url),
  resolvers: { Query: { search: (_, args: SearchArguments, context) => searchAll(context, args) } },
  routes: [{ method: 'GET', path: '/search', field: 'search', tag: 'search' }],
};
