import { z } from 'zod';
import { PERMISSIONS, ROLES, type Permission, type Role } from '../../schema/permissions.js';

/** The plans and their names (specification, "Limits"). */
export const PLANS = ['starter', 'growth', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

const text = z.string().min(1);

/** The operator's staff member who acts in a customer's tenant, and the customer's person who approved it. */
export const supportSchema = z.strictObject({ access_id: text, staff: text, approved_by: text });
export type SupportIdentity = z.infer<typeof supportSchema>;

/** How a person proves again who they are: with the password, and a second factor where there is one, or at the identity provider. */
export const reauthenticateSchema = z.strictObject({
  method: z.enum(['password', 'sso']),
  second_factor: z.boolean(),
  /** The endpoint that takes the password, or the page that leads to the provider. */
  url: text,
});

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
  /** Present when a host agent calls: its id. */
  agent_id: text.optional(),
  /** Present when an engine reads a model of another one's data: which, and for which field of its own, whose permission the caller holds. */
  reading: z.strictObject({ model: text, field: text }).optional(),
  /** Present when the person's last proof of who they are is too old for what only a person may do: how to give another. */
  reauthenticate: reauthenticateSchema.optional(),
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
