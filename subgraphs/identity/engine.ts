import { defineEngine } from '../_kit/engine.js';
import { readSchema } from '../_kit/read-schema.js';
import { memberships, organizations, tenants, users } from './records.js';
import { resolvers } from './resolvers.js';
import { sessions } from './session-record.js';
import { sso } from './sso/part.js';

export const engine = defineEngine({
  name: 'identity',
  label: 'Identity',
  description: 'Who may do what: tenants, users and roles.',
  prefixes: ['tenants', 'users', 'roles'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/tenants', field: 'tenants', tag: 'tenants' },
    { method: 'GET', path: '/tenants/{tenant_id}', field: 'tenant', tag: 'tenants' },
    { method: 'PATCH', path: '/tenants/{tenant_id}', field: 'update_tenant', tag: 'tenants' },
    { method: 'GET', path: '/users', field: 'users', tag: 'users' },
    { method: 'GET', path: '/users/me', field: 'me', tag: 'users' },
    { method: 'PATCH', path: '/users/{user_id}/role', field: 'set_user_role', tag: 'users' },
    { method: 'DELETE', path: '/users/{user_id}', field: 'remove_user', status: 204, tag: 'users' },
    { method: 'GET', path: '/roles', field: 'roles', tag: 'roles' },
  ],
  parts: [sso],
  collections: [organizations as never, tenants as never, users as never, memberships as never, sessions as never],
});
