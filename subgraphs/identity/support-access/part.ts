import type { EnginePart } from '../../../kit/engine/engine.js';
import type { PageArguments } from '../../../kit/store/paging.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { supportAccesses } from '../../../accounts/support-access.js';
import { approveSupportAccess, listSupportAccesses, requestSupportAccess, revokeSupportAccess } from './service.js';

export const supportAccessPart: EnginePart = {
  prefixes: ['support-access'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { support_accesses: (_, args: PageArguments, context) => listSupportAccesses(context, args) },
    Mutation: {
      request_support_access: (_, args: { input: unknown }, context) => requestSupportAccess(context, args.input),
      approve_support_access: (_, args: { id: string; input?: unknown }, context) => approveSupportAccess(context, args.id, args.input),
      revoke_support_access: (_, args: { id: string }, context) => revokeSupportAccess(context, args.id),
    },
  },
  routes: [
    { method: 'GET', path: '/support-access', field: 'support_accesses', tag: 'support-access' },
    { method: 'POST', path: '/support-access', field: 'request_support_access', status: 201, tag: 'support-access' },
    { method: 'POST', path: '/support-access/{id}/approve', field: 'approve_support_access', tag: 'support-access' },
    { method: 'POST', path: '/support-access/{id}/revoke', field: 'revoke_support_access', tag: 'support-access' },
  ],
  collections: [supportAccesses],
};
