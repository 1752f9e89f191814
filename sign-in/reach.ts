import type { MembershipRow, OrganizationRow, TenantRow, UserRow } from '../accounts/records.js';
import { isOpen, type SupportAccessRow } from '../accounts/support-access.js';

/**
 * Whether a membership reaches a tenant: its own, or any of the user's organization for an org_admin (decision 16). A platform_admin's counts
 * in the operator's own tenants only, and for the operator's own people (decision 15).
 * @param organization the tenant's
 */
export function canActIn(tenant: TenantRow, membership: MembershipRow, user: UserRow, organization: OrganizationRow | undefined): boolean {
  // nobody enters a tenant that was ended, until it is taken back
  if (tenant.ends_at) return false;
  const isOwn = membership.tenant_id === tenant.tenant_id;
  if (membership.role === 'platform_admin') {
    const isStaff = user.organization_id === null || user.organization_id === tenant.organization_id;
    return isOwn && isStaff && organization?._id === tenant.organization_id && organization.operator === true;
  }
  if (isOwn) return true;
  return membership.role === 'org_admin' && user.organization_id !== null && user.organization_id === tenant.organization_id;
}

/** Whether a customer's approval lets a member of the operator's staff act in a tenant at `now` (decision 15). */
export function isAdmitted(
  access: SupportAccessRow | undefined,
  tenant: TenantRow,
  membership: MembershipRow,
  user: UserRow,
  now: Date,
): access is SupportAccessRow {
  return (
    access !== undefined &&
    !tenant.ends_at &&
    membership.role === 'platform_admin' &&
    access.tenant_id === tenant.tenant_id &&
    access.staff_user_id === user._id &&
    isOpen(access, now)
  );
}
