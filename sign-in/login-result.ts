import { z } from 'zod';
import { ROLES, type Role } from '../schema/permissions.js';
import { SECOND_FACTORS } from '../accounts/factors/factors.js';
import type { TenantRow, UserRow } from '../accounts/records.js';

/** The body of a sign-in that is complete (decision 23). */
export const loginAnswer = z
  .strictObject({
    status: z.literal('ok').describe('The cookie is set.'),
    user: z
      .strictObject({
        user_id: z.string().describe('Id.'),
        email: z.string().describe('E-mail address.'),
        name: z.string().describe('Name.'),
      })
      .describe('Who signed in.'),
    tenant: z
      .strictObject({
        tenant_id: z.string().describe('Id.'),
        name: z.string().describe('Name.'),
        organization_id: z.string().describe('Organization that owns it.'),
      })
      .describe('The tenant that the session acts in.'),
    role: z.enum(ROLES).describe('Role in that tenant.'),
    recovery_codes: z.array(z.string()).optional().describe('Recovery codes, shown once to who has just set up a second factor.'),
  })
  .describe('A complete sign-in.');
export type LoginResult = z.infer<typeof loginAnswer>;

/** The body of a sign-in that needs a further step before there is a session (decision 23). */
export const secondStepAnswer = z
  .strictObject({
    status: z.enum(['mfa_required', 'mfa_enrollment_required']).describe('Whether the user has a second factor or sets one up now.'),
    challenge_id: z.string().describe('Names this sign-in at /api/auth/mfa/verify and /api/auth/mfa/send.'),
    methods: z.array(z.enum(SECOND_FACTORS)).describe('What may be shown or, where none is set up, chosen.'),
    expires_in: z.int().describe('Seconds left.'),
    totp: z
      .strictObject({
        secret: z.string().describe('The secret, in base32.'),
        otpauth_url: z.string().describe('The same as a URL, for a QR code.'),
      })
      .optional()
      .describe('What to enter in an authenticator app; present where a second factor has to be set up.'),
  })
  .describe('The first factor was right; a second one is asked for, or has to be set up first.');
export type SecondStepResult = z.infer<typeof secondStepAnswer>;

export function loginResult(user: UserRow, tenant: TenantRow, role: Role): LoginResult {
  return {
    status: 'ok',
    user: { user_id: user._id, email: user.email, name: user.name },
    tenant: { tenant_id: tenant.tenant_id, name: tenant.name, organization_id: tenant.organization_id },
    role,
  };
}
