import { SYSTEM_ACTOR, type AuthContext } from '../../../kit/base/auth-context.js';
import type { AuditAction, AuditInput } from '../../../kit/audit/entry.js';
import type { EngineContext, EngineServices } from '../../../kit/engine/context.js';
import { getAuditLog, onBehalfOf } from '../../../kit/engine/create-context.js';
import { conflict, forbidden, invalid, notFound } from '../../../kit/base/errors.js';
import { LEASE_REVOKED } from '../../../kit/work/due.js';
import { jobs } from '../../../kit/work/jobs.js';
import { tenantEnds } from '../../../kit/work/tenant-ends.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { memberships, organizations, tenants, users, type TenantRow } from '../../../accounts/records.js';
import { sessions } from '../../../accounts/session-record.js';
import { findTenant } from '../tenants.js';

/** Days in which a tenant that was ended can be taken back. */
export const GRACE_DAYS = 30;
const DAY = 86_400_000;

/**
 * Ends a tenant: nobody signs in, no key and no work in the background acts in it from this moment on, and after GRACE_DAYS everything of it but the audit
 * log is removed. Whoever is signed in there is signed out.
 * @param name the tenant's name, as the caller has typed it
 * @throws PalisadeError FORBIDDEN for everybody but an org_admin; NOT_FOUND when the caller does not administer such a tenant; VALIDATION_ERROR for another name; CONFLICT when it was ended already, is the
 *   operator's, or holds the only org_admins of an organization that goes on
 */
export async function endTenant(context: EngineContext, tenantId: string, name: string): Promise<TenantRow> {
  const { auth, services } = context;
  const tenant = await findAsOrgAdmin(context, tenantId);
  if (name !== tenant.name) throw invalid([{ path: 'name', message: "is not the tenant's name" }]);
  const { tenant_id, organization_id } = tenant;
  const now = services.clock.now();
  const ends_at = new Date(now.getTime() + GRACE_DAYS * DAY);
  return context.transaction(async (transaction) => {
    await assertMayEnd(services, tenant, transaction);
    const data = services.database.tenant(tenant_id);
    const live = { _id: tenant_id, ends_at: null };
    const ended = await data.collection(tenants).findAndUpdate(live, { $set: { ends_at } }, { returnNew: true, transaction });
    if (!ended) throw conflict('This tenant was ended already');
    const row = { ended_by: auth.email, ended_at: now, removal_at: ends_at, removing: false, removed: {} };
    await data.collection(tenantEnds).insert({ _id: tenant_id, tenant_id, organization_id, ...row }, { transaction });
    const there = { $or: [{ tenant_id }, { sso_tenant_id: tenant_id }] };
    await services.database.system(sessions).remove(there, { transaction });
    // a worker in the middle of a job loses its lease, and the job waits with the others
    const queued = { ...LEASE_REVOKED, $set: { ...LEASE_REVOKED.$set, state: 'queued' } };
    await data.collection(jobs).updateMany({ state: 'leased' }, queued, { transaction });
    await note(services, auth, tenant, 'tenant.end', transaction, { removal_at: ends_at.toISOString() });
    return ended;
  });
}

/**
 * Takes a tenant back that was ended; keys, schedules and what waited go on, and people sign in again.
 * @throws PalisadeError FORBIDDEN for everybody but an org_admin; NOT_FOUND when the caller does not administer such a tenant; CONFLICT when it was not ended, or its removal has begun
 */
export async function restoreTenant(context: EngineContext, tenantId: string): Promise<TenantRow> {
  return takeBack(context.services, await findAsOrgAdmin(context, tenantId), context.auth);
}

/**
 * As `restoreTenant`, in the name of an org_admin or, with null, of the operator.
 * @throws PalisadeError CONFLICT when it was not ended, or its removal has begun
 */
export async function takeBack(services: EngineServices, tenant: TenantRow, by: AuthContext | null): Promise<TenantRow> {
  const { tenant_id } = tenant;
  const data = services.database.tenant(tenant_id);
  return services.database.transaction(async (transaction) => {
    const waiting = { _id: tenant_id, removing: false, removal_at: { $gt: services.clock.now() } };
    const taken = await data.collection(tenantEnds).remove(waiting, { transaction });
    const restored = await data.collection(tenants).findAndUpdate({}, { $set: { ends_at: null } }, { returnNew: true, transaction });
    if (taken === 0 || !restored) throw conflict('This tenant was not ended, or its removal has begun');
    await note(services, by, tenant, 'tenant.restore', transaction);
    return restored;
  });
}

async function findAsOrgAdmin(context: EngineContext, tenantId: string): Promise<TenantRow> {
  if (context.auth.role !== 'org_admin') throw forbidden('Only an org_admin ends tenants, and takes them back');
  const tenant = await findTenant(context, tenantId);
  if (!tenant) throw notFound('Tenant');
  return tenant;
}

/** The operator's staff, and an organization that goes on, are not left without anybody who can sign in. */
async function assertMayEnd(
  { database }: EngineServices,
  { tenant_id, organization_id }: TenantRow,
  transaction: TransactionOf,
): Promise<void> {
  const organization = await database.system(organizations).findOne({ _id: organization_id }, { transaction });
  if (organization?.operator) throw conflict("The operator's own tenants are not ended");
  const others = await database.system(tenants).find({ organization_id, ends_at: null, _id: { $ne: tenant_id } }, { transaction });
  if (others.length === 0) return;
  const held = { tenant_id: { $in: others.map((other) => other.tenant_id) }, role: 'org_admin' };
  const admins = await database.system(memberships).find(held, { fields: ['user_id'], transaction });
  const people = { _id: { $in: admins.map(({ user_id }) => user_id) }, state: 'active', organization_id };
  if ((await database.system(users).count(people, { transaction })) === 0)
    throw conflict('Every org_admin is a member of this tenant alone: invite one into another tenant of the organization first');
}

function note(
  services: EngineServices,
  by: AuthContext | null,
  { tenant_id }: TenantRow,
  action: AuditAction,
  transaction: TransactionOf,
  detail?: Record<string, unknown>,
): Promise<void> {
  const actor: Pick<AuditInput, 'actor_email' | 'role' | 'ip_address'> = by
    ? { actor_email: by.email, role: by.role, ip_address: by.ip_address, ...onBehalfOf(by) }
    : { actor_email: SYSTEM_ACTOR };
  const entry = { action, ...actor, target: `tenant:${tenant_id}`, result: 'success' as const, ...(detail && { detail }) };
  return getAuditLog(services).append(transaction, tenant_id, services.clock.now(), [entry]);
}
