import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { invites } from '../../../accounts/invites.js';
import { resolvers } from './resolvers.js';

export const invitesPart: EnginePart = {
  prefixes: ['invites'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/invites', field: 'invites', tag: 'invites' },
    { method: 'POST', path: '/invites', field: 'create_invite', status: 201, tag: 'invites' },
    { method: 'POST', path: '/invites/{id}/reissue', field: 'reissue_invite', tag: 'invites' },
    { method: 'DELETE', path: '/invites/{id}', field: 'revoke_invite', status: 204, tag: 'invites' },
  ],
  collections: [invites],
};
