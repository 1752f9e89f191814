import type { IResolvers } from '@graphql-tools/utils';
import type { EngineContext } from '../../kit/engine/context.js';
import type { PageArguments } from '../../kit/store/paging.js';
import type { Role } from '../../schema/permissions.js';
import { getMe } from './me.js';
import { roleMatrix } from '../../accounts/roles.js';
import { createTenantFor, findTenant, listTenants, tenantSettings, updateTenant, ownTenantPlan, ownTenantSettings } from './tenants.js';
import type { TenantRow } from '../../accounts/records.js';
import { findMembers, listUsers, removeUser, setUserRole } from './users.js';

export const resolvers: IResolvers<unknown, EngineContext> = {
  Query: {
    tenant_plan_model: (_, _args, context) => ownTenantPlan(context),
    tenant_settings_model: (_, _args, context) => ownTenantSettings(context),
    members_model: (_, { members }: { members: string[] }, context) => findMembers(context, members),
    me: (_, _args, context) => getMe(context),
    tenants: (_, args: PageArguments, context) => listTenants(context, args),
    tenant: (_, args: { tenant_id: string }, context) => findTenant(context, args.tenant_id),
    users: (_, args: PageArguments & { role?: Role[] | null }, context) => listUsers(context, args),
    roles: () => roleMatrix(),
  },
  Mutation: {
    create_tenant: (_, args: { input: unknown }, context) => createTenantFor(context, args.input),
    update_tenant: (_, args: { tenant_id: string; input: unknown }, context) => updateTenant(context, args.tenant_id, args.input),
    set_user_role: (_, args: { user_id: string; input: { role: Role } }, context) => setUserRole(context, args.user_id, args.input.role),
    remove_user: (_, args: { user_id: string }, context) => removeUser(context, args.user_id),
  },
  Tenant: {
    settings: (tenant: TenantRow) => tenantSettings(tenant),
    state: ({ ends_at }: TenantRow) => (ends_at ? 'ended' : 'active'),
    removal_at: ({ ends_at }: TenantRow) => ends_at ?? null,
  },
};
