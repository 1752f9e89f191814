import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { endMySession, listMySessions } from './service.js';

export const ownSessionsPart: EnginePart = {
  prefixes: ['users'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Query: { my_sessions: (_, _args, context) => listMySessions(context) },
    Mutation: { end_my_session: (_, args: { id: string }, context) => endMySession(context, args.id) },
  },
  routes: [
    { method: 'GET', path: '/users/me/sessions', field: 'my_sessions', tag: 'users' },
    { method: 'DELETE', path: '/users/me/sessions/{id}', field: 'end_my_session', status: 204, tag: 'users' },
  ],
};
