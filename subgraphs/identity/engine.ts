import { defineEngine } from '../../kit/engine/engine.js';
import { readSchema } from '../../kit/engine/read-schema.js';
import { domainsPart } from './domains/part.js';
import { mfaPart } from './mfa/part.js';
import { invitesPart } from './invites/part.js';
import { apiKeysPart } from './api-keys/part.js';
import { ownSessionsPart } from './own-sessions/part.js';
import { memberships, organizations, tenants, users } from '../../accounts/records.js';
import { resolvers } from './resolvers.js';
import { retentionTask } from './retention.js';
import { sessions } from '../../accounts/session-record.js';
import { ssoPart } from './sso/part.js';
import { supportAccessPart } from './support-access/part.js';
import { importSettings } from './tenants.js';
import { membersOf } from './users.js';
import { tenantEndPart } from './tenant-end/part.js';

export const engine = defineEngine({
  name: 'identity',
  label: 'Identity',
  description: 'Who may do what: tenants, users, roles and invitations.',
  prefixes: ['tenants', 'users', 'roles'],
  typeDefs: readSchema(import.meta.url),
  resolvers,
  routes: [
    { method: 'GET', path: '/tenants', field: 'tenants', tag: 'tenants' },
    { method: 'POST', path: '/tenants', field: 'create_tenant', status: 201, tag: 'tenants' },
    { method: 'GET', path: '/tenants/{tenant_id}', field: 'tenant', tag: 'tenants' },
    { method: 'PATCH', path: '/tenants/{tenant_id}', field: 'update_tenant', tag: 'tenants' },
    { method: 'GET', path: '/users', field: 'users', tag: 'users' },
    { method: 'GET', path: '/users/me', field: 'me', tag: 'users' },
    { method: 'PATCH', path: '/users/{user_id}/role', field: 'set_user_role', tag: 'users' },
    { method: 'DELETE', path: '/users/{user_id}', field: 'remove_user', status: 204, tag: 'users' },
    { method: 'GET', path: '/roles', field: 'roles', tag: 'roles' },
  ],
  collections: [organizations, tenants, users, memberships, sessions],
  ingest: { importSettings, membersOf },
  background: [retentionTask],
  parts: [apiKeysPart, domainsPart, invitesPart, mfaPart, ownSessionsPart, ssoPart, supportAccessPart, tenantEndPart],
});
