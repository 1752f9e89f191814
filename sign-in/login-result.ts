import type { Role } from '../schema/permissions.js';
import type { SecondFactor } from '../accounts/factors/factors.js';
import type { TotpSecret } from '../accounts/factors/totp.js';
import type { TenantRow, UserRow } from '../accounts/records.js';

/** The body of a sign-in that is complete (decision 23). */
export interface LoginResult {
  status: 'ok';
  user: { user_id: string; email: string; name: string };
  tenant: { tenant_id: string; name: string; organization_id: string };
  role: Role;
  /** Shown once, to whoever has just set up a second factor on the way. */
  recovery_codes?: readonly string[];
}

/** The body of a sign-in that needs a further step before there is a session (decision 23). */
export interface SecondStepResult {
  status: 'mfa_required' | 'mfa_enrollment_required';
  /** Names this sign-in at /api/auth/mfa/verify and /api/auth/mfa/send. */
  challenge_id: string;
  methods: readonly SecondFactor[];
  /** Seconds. */
  expires_in: number;
  /** What an authenticator app needs, for who has to set up a second factor first. */
  totp?: TotpSecret;
}

export function loginResult(user: UserRow, tenant: TenantRow, role: Role): LoginResult {
  return {
    status: 'ok',
    user: { user_id: user._id, email: user.email, name: user.name },
    tenant: { tenant_id: tenant.tenant_id, name: tenant.name, organization_id: tenant.organization_id },
    role,
  };
}
