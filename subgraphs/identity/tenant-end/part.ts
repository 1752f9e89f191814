import type { EnginePart } from '../../../kit/engine/engine.js';
import { readSchema } from '../../../kit/engine/read-schema.js';
import { tenantEnds } from '../../../kit/work/tenant-ends.js';
import { tenantRemoval } from './removal.js';
import { endTenant, restoreTenant } from './service.js';

/** How a tenant ends. */
export const tenantEndPart: EnginePart = {
  prefixes: ['tenants'],
  typeDefs: readSchema(import.meta.url),
  resolvers: {
    Mutation: {
      end_tenant: (_, args: { tenant_id: string; name: string }, context) => endTenant(context, args.tenant_id, args.name),
      restore_tenant: (_, args: { tenant_id: string }, context) => restoreTenant(context, args.tenant_id),
    },
  },
  routes: [
    { method: 'DELETE', path: '/tenants/{tenant_id}', field: 'end_tenant', tag: 'tenants' },
    { method: 'POST', path: '/tenants/{tenant_id}/restore', field: 'restore_tenant', tag: 'tenants' },
  ],
  collections: [tenantEnds],
  background: [tenantRemoval],
};
