import { forbidden, invalid } from '../kit/base/errors.js';
import { PERMISSIONS, permissionsOf, ROLES, type Role } from '../schema/permissions.js';

/** Level and reach of each role (specification, "Roles"). */
const REACH: Readonly<Record<Role, { level: string; scope: string }>> = {
  platform_admin: { level: 'L1', scope: "the whole platform; reserved for the operator's support staff" },
  org_admin: { level: 'L2', scope: 'all tenants of an organization' },
  tenant_admin: { level: 'L4', scope: 'one tenant' },
  analyst: { level: 'L4', scope: 'one tenant; reads, and triages findings' },
  viewer: { level: 'L4', scope: 'one tenant; reads the engines that are not sensitive' },
};

/** Roles that administer a tenant; one of its users must hold one. */
export const TENANT_ADMIN_ROLES: readonly Role[] = ['org_admin', 'tenant_admin'];

export const roleMatrix = () => ({
  roles: ROLES.map((role) => ({ role, ...REACH[role], permissions: permissionsOf(role) })),
  permissions: PERMISSIONS,
});

const isAbove = (one: Role, other: Role): boolean => ROLES.indexOf(one) < ROLES.indexOf(other);

/** @throws PalisadeError FORBIDDEN when `actor` may not touch a user who holds `held` (decision 15) */
export function assertMayManage(actor: Role, held: Role): void {
  if (isAbove(held, actor)) throw forbidden('Nobody manages a user whose role is above their own');
}

/** Whether `actor` may give `role` (decision 15): an administrator, no role above their own; platform_admin is never granted to customers. */
export const mayGrant = (actor: Role, role: Role): boolean =>
  permissionsOf(actor).includes('users:write') && role !== 'platform_admin' && !isAbove(role, actor);

/** @throws PalisadeError FORBIDDEN when `actor` may not give `role` */
export function assertMayGrant(actor: Role, role: Role): void {
  if (!mayGrant(actor, role)) throw forbidden('Nobody grants a role above their own');
}

export const lastAdmin = () =>
  invalid([{ path: 'user_id', message: 'A tenant keeps at least one administrator, and an organization one org_admin' }]);
