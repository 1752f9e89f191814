import type { EnginePart } from '../../../kit/engine/engine.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { apiKeys } from '../../../accounts/api-keys/records.js';
import { createApiKey, deleteApiKey, listApiKeys } from './service.js';

export const apiKeysPart: EnginePart = {
  prefixes: ['api-keys'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { api_keys: (_, args: PageArguments, context) => listApiKeys(context, args) },
    Mutation: {
      create_api_key: (_, args: { input: unknown }, context) => createApiKey(context, args.input),
      delete_api_key: (_, args: { id: string }, context) => deleteApiKey(context, args.id),
    },
  },
  routes: [
    { method: 'GET', path: '/api-keys', field: 'api_keys', tag: 'api-keys' },
    { method: 'POST', path: '/api-keys', field: 'create_api_key', status: 201, tag: 'api-keys' },
    { method: 'DELETE', path: '/api-keys/{id}', field: 'delete_api_key', status: 204, tag: 'api-keys' },
  ],
  collections: [apiKeys],
};
