import type { EnginePart } from '../../../kit/engine/engine.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { listSavedFilters, removeSavedFilter, savedFilters, setSavedFilter, type SavedFilterInput } from './service.js';

const tag = 'saved-filters';

/** Filters that people keep. */
export const savedFiltersPart: EnginePart = {
  prefixes: ['saved-filters'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { saved_filters: (_, args: PageArguments, context) => listSavedFilters(context, args) },
    Mutation: {
      set_saved_filter: (_, args: { id: string; input: SavedFilterInput }, context) => setSavedFilter(context, args.id, args.input),
      remove_saved_filter: (_, args: { id: string }, context) => removeSavedFilter(context, args.id),
    },
  },
  routes: [
    { method: 'GET', path: '/saved-filters', field: 'saved_filters', tag },
    { method: 'PUT', path: '/saved-filters/{id}', field: 'set_saved_filter', tag },
    { method: 'DELETE', path: '/saved-filters/{id}', field: 'remove_saved_filter', status: 204, tag },
  ],
  collections: [savedFilters],
};
