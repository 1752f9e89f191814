import type { Role } from '../../schema/permissions.js';
import type { TenantRow, UserRow } from '../../subgraphs/identity/records.js';

/** The body of a sign-in that is complete (decision 23). */
export interface LoginResult {
  status: 'ok';
  user: { user_id: string; email: string; name: string };
  tenant: { tenant_id: string; name: string; organization_id: string };
  role: Role;
}

export function loginResult(user: UserRow, tenant: TenantRow, role: Role): LoginResult {
  return {
    status: 'ok',
    user: { user_id: user._id, email: user.email, name: user.name },
    tenant: { tenant_id: tenant.tenant_id, name: tenant.name, organization_id: tenant.organization_id },
    role,
  };
}
