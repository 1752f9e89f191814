import { z } from 'zod';
import { PERMISSIONS, ROLES, type Permission, type Role } from '../../schema/permissions.js';

/** The plans and their names (specification, "Limits"). */
export const PLANS = ['starter', 'growth', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

const text = z.string().min(1);

/** The operator's staff member who acts in a customer's tenant, and the customer's person who approved it. */
export const supportSchema = z.strictObject({ access_id: text, staff: text, approved_by: text });
export type SupportIdentity = z.infer<typeof supportSchema>;

/** Who calls, in which tenant, with which rights: all that an engine knows of a caller (specification, Authentication 4 to 6). */
export const authContextSchema = z.strictObject({
  tenant_id: text,
  organization_id: text,
  plan: z.enum(PLANS),
  user_id: text,
  email: text,
  name: z.string(),
  session_id: text,
  role: z.enum(ROLES),
  permissions: z.array(z.enum(PERMISSIONS as [Permission, ...Permission[]])).readonly(),
  request_id: text,
  ip_address: z.string(),
  /** Present under a support access: both identities, for every audit entry. */
  support: supportSchema.optional(),
  /** Present when an API key calls instead of a person: its id. The user is then the key's owner. */
  api_key_id: text.optional(),
  /** Present when an engine reads a model of another one's data: which, and for which field of its own, whose permission the caller holds. */
  reading: z.strictObject({ model: text, field: text }).optional(),
});
export type AuthContext = z.infer<typeof authContextSchema>;

/** Name of the actor of what a run or a job does by itself. */
export const SYSTEM_ACTOR = 'system';

/** The context of work that no request carries: a job of `tenant_id`, with the rights of `role`. */
export function systemAuthContext(
  tenant: { tenant_id: string; organization_id: string; plan: Plan },
  role: Role,
  permissions: readonly Permission[],
): AuthContext {
  const none = {
    user_id: SYSTEM_ACTOR,
    email: SYSTEM_ACTOR,
    name: 'Palisade',
    session_id: SYSTEM_ACTOR,
    request_id: SYSTEM_ACTOR,
    ip_address: '',
  };
  return { ...tenant, ...none, role, permissions };
}

export const holds = (auth: AuthContext, permission: Permission): boolean => auth.permissions.includes(permission);
