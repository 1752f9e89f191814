import type { MembershipRow, TenantRow, UserRow } from '../../subgraphs/identity/records.js';

/** Whether a membership reaches a tenant: its own, or any of the user's organization for an org_admin (decision 16). */
export function canActIn(tenant: TenantRow, membership: MembershipRow, user: UserRow): boolean {
  if (membership.tenant_id === tenant.tenant_id) return true;
  return membership.role === 'org_admin' && user.organization_id !== null && user.organization_id === tenant.organization_id;
}
