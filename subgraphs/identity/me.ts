import type { EngineContext } from '../../kit/engine/context.js';
import { unauthenticated } from '../../kit/base/errors.js';
import type { Role } from '../../schema/permissions.js';
import { listReadableEngines } from './readable-engines.js';
import { memberships, tenants, users } from '../../accounts/records.js';
import { sessions } from '../../accounts/session-record.js';
import { isOrganizationsProvider } from '../../accounts/whole-account.js';

/** @throws PalisadeError UNAUTHENTICATED when the caller is no user of the store (work that no person asked for) */
export async function getMe(context: EngineContext) {
  const { auth } = context;
  const user = await context.services.database
    .system(users)
    .findOne({ _id: auth.user_id }, { fields: ['mfa', 'last_login_at', 'organization_id'] });
  if (!user) throw unauthenticated();
  const open = await openTenants(context, user.organization_id);
  const { user_id, email, name, tenant_id, role, permissions } = auth;
  return {
    user_id,
    email,
    name,
    mfa: user.mfa,
    last_login_at: user.last_login_at,
    tenant_id,
    role,
    permissions,
    readable_engines: listReadableEngines(context),
    tenants: open,
  };
}

/** The tenants that the caller can switch to: those with a membership, and an org_admin's organization, as far as the session reaches. */
async function openTenants(context: EngineContext, organizationId: string | null) {
  const { auth, services } = context;
  const { database } = services;
  const own = await database.system(memberships).find({ user_id: auth.user_id });
  const roles = new Map<string, Role>([...own.map(({ tenant_id, role }) => [tenant_id, role] as const), [auth.tenant_id, auth.role]]);
  const wide = organizationId !== null && own.some((membership) => membership.role === 'org_admin');
  const theirs = { $or: [{ _id: { $in: [...roles.keys()] } }, ...(wide ? [{ organization_id: organizationId }] : [])] };
  const reached = { $and: [theirs, await reachOf(context)], ends_at: null };
  const rows = await database.system(tenants).find(reached, { sort: { name: 1, _id: 1 } });
  return rows.map(({ tenant_id, organization_id, name }) => ({
    tenant_id,
    organization_id,
    name,
    role: roles.get(tenant_id) ?? 'org_admin',
  }));
}

/**
 * How far the caller's session can go. One that a customer's identity provider vouches for is not told where else the person is a member:
 * the provider could name anybody. An API key stays where it is.
 */
async function reachOf({ auth, services: { database } }: EngineContext): Promise<Record<string, unknown>> {
  const here = { _id: auth.tenant_id };
  const session = await database.system(sessions).findOne({ _id: auth.session_id }, { fields: ['sso_tenant_id'] });
  if (!session) return here;
  if (session.sso_tenant_id === null) return {};
  return (await isOrganizationsProvider(database, session.sso_tenant_id)) ? { organization_id: auth.organization_id } : here;
}
