import type { Plan } from '../kit/base/auth-context.js';
import { defineCollection, defineSystemCollection, type RowOf } from '../kit/store/collection.js';
import { date, flag, nullable, number, object, oneOf, optional, readonlyList, text, textOf } from '../kit/store/fields.js';
import type { Role } from '../schema/permissions.js';

export const MFA_POLICIES = ['all', 'admins', 'none'] as const;
export type MfaPolicy = (typeof MFA_POLICIES)[number];

/** Why an account of a tenant's identity provider was made; `earlier` is one from before domains were verified. */
export type SsoBasis = 'domain' | 'invitation' | 'earlier';

/** A customer: owns tenants. */
export const organizations = defineSystemCollection('organizations', {
  name: text,
  /** The operator of the deployment: the only organization whose people may be platform_admins, and act in their own tenants as such. */
  operator: optional(flag),
  /** Counts on whenever an org_admin leaves, so that two who leave at once, from different tenants, meet here. */
  org_admins_left: optional(number),
  created_at: date,
});
export type OrganizationRow = RowOf<typeof organizations>;

/** `_id` is the tenant id. */
export const tenants = defineCollection(
  'tenants',
  {
    organization_id: text,
    name: text,
    plan: textOf<Plan>(),
    settings: object<Record<string, unknown>>(),
    /** Who must show a second factor beside the roles that always must: everybody, tenant_admins, nobody more. */
    mfa_policy: textOf<MfaPolicy>(),
    /** Whether people sign in through the tenant's identity provider only. */
    require_sso: flag,
    /** When everything of it is removed, in a tenant that was ended; else null or absent. */
    ends_at: optional(nullable(date)),
    created_at: date,
  },
  [{ key: { tenant_id: 1 }, options: { unique: true } }],
);
export type TenantRow = RowOf<typeof tenants>;

/**
 * An account: a person's own, one for each e-mail address across tenants, or one that a tenant's identity provider has made, one for each
 * tenant and address (decision 52). `password_hash` (argon2id, PHC string) is never serialized.
 */
const userRows = defineSystemCollection(
  'users',
  {
    email: text,
    /** The tenant whose identity provider has made the account, which reaches that tenant alone; null for a person's own account. */
    sso_tenant_id: optional(nullable(text)),
    /** Present on accounts of a provider. */
    sso_basis: optional(textOf<SsoBasis>()),
    /** When its organization last lost the domain that it stands on: a write that a sign-in at this moment meets. */
    sso_ended_at: optional(date),
    name: text,
    password_hash: nullable(text),
    state: oneOf('active', 'invited', 'disabled'),
    mfa: oneOf('none', 'totp', 'email'),
    /** The TOTP secret (base32), sealed for this user's id under the master key's purpose `totp`; never serialized. */
    totp_sealed: nullable(text),
    /** The last time step whose code was used: a code counts once, in all processes. */
    totp_last_step: optional(nullable(number)),
    /** HMACs of the recovery codes that are left; never serialized. */
    recovery_codes: optional(readonlyList(text)),
    /** The organization whose staff the user is; null for the operator's own staff. */
    organization_id: nullable(text),
    last_login_at: nullable(date),
    created_at: date,
  },
  [{ key: { email: 1, sso_tenant_id: 1 }, options: { unique: true } }],
);
export type UserRow = RowOf<typeof userRows>;

/** One account an address was the rule before providers' accounts stood for themselves. */
export const users: typeof userRows = { ...userRows, formerIndexes: ['email_1'] };

/** Selects a person's own account: who comes by password or mailbox never meets one that a provider has made. */
export const ownAccount = (email: string) => ({ email, sso_tenant_id: null });

/** One role per user and tenant; `_id` is `<tenant_id>|<user_id>`. */
const membershipRows = defineCollection(
  'memberships',
  {
    user_id: text,
    email: text,
    role: textOf<Role>(),
    /** The last sign-in as this member, or switch to this tenant: what a person does by other memberships is none of its business. */
    last_login_at: optional(nullable(date)),
    created_at: date,
  },
  [{ key: { tenant_id: 1, email: 1 } }],
);
export type MembershipRow = RowOf<typeof membershipRows>;

/** Sign-in asks for a user's memberships before any tenant is known: the one index here that spans tenants. */
export const memberships: typeof membershipRows = { ...membershipRows, indexes: [...membershipRows.indexes, { key: { user_id: 1 } }] };

export const membershipId = (tenantId: string, userId: string): string => `${tenantId}|${userId}`;
