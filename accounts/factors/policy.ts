import type { Role } from '../../schema/permissions.js';
import type { TenantRow } from '../records.js';
import type { SessionRow } from '../session-record.js';

/** Roles that always show a second factor, whatever the tenant says (specification, "Multi-factor authentication"). */
export const ALWAYS_COVERED: readonly Role[] = ['platform_admin', 'org_admin'];

/** Whether somebody of this role must show a second factor in a tenant of this policy. */
export function needsSecondFactor(role: Role, policy: TenantRow['mfa_policy']): boolean {
  return ALWAYS_COVERED.includes(role) || policy === 'all' || (policy === 'admins' && role === 'tenant_admin');
}

/**
 * Whether a session has shown what its role and the tenant ask for. A tenant's policy trusts the tenant's own identity provider to ask for
 * a second factor; the roles that are always covered must have shown one, as the provider says or as we saw (decision 25).
 */
export function hasShownEnough(
  session: Pick<SessionRow, 'second_factor' | 'sso_tenant_id'>,
  role: Role,
  tenant: Pick<TenantRow, 'tenant_id' | 'mfa_policy'>,
): boolean {
  if (session.second_factor || !needsSecondFactor(role, tenant.mfa_policy)) return true;
  return !ALWAYS_COVERED.includes(role) && session.sso_tenant_id === tenant.tenant_id;
}
