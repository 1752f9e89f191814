import type { Plan } from '../kit/base/auth-context.js';
import { defineCollection, defineSystemCollection } from '../kit/store/collection.js';
import type { Role } from '../schema/permissions.js';

/** A customer: owns tenants. */
export interface OrganizationRow {
  _id: string;
  name: string;
  /** The operator of the deployment: the only organization whose people may be platform_admins, and act in their own tenants as such. */
  operator?: boolean;
  /** Counts on whenever an org_admin leaves, so that two who leave at once, from different tenants, meet here. */
  org_admins_left?: number;
  created_at: Date;
}

export const MFA_POLICIES = ['all', 'admins', 'none'] as const;
export type MfaPolicy = (typeof MFA_POLICIES)[number];

/** `_id` is the tenant id. */
export interface TenantRow {
  _id: string;
  tenant_id: string;
  organization_id: string;
  name: string;
  plan: Plan;
  settings: Record<string, unknown>;
  /** Who must show a second factor beside the roles that always must: everybody, tenant_admins, nobody more. */
  mfa_policy: MfaPolicy;
  /** Whether people sign in through the tenant's identity provider only. */
  require_sso: boolean;
  /** When everything of it is removed, in a tenant that was ended; else null or absent. */
  ends_at?: Date | null;
  created_at: Date;
}

/** Why an account of a tenant's identity provider was made; `earlier` is one from before domains were verified. */
export type SsoBasis = 'domain' | 'invitation' | 'earlier';

/**
 * An account: a person's own, one for each e-mail address across tenants, or one that a tenant's identity provider has made, one for each
 * tenant and address (decision 52). `password_hash` (argon2id, PHC string) is never serialized.
 */
export interface UserRow {
  _id: string;
  email: string;
  /** The tenant whose identity provider has made the account, which reaches that tenant alone; null for a person's own account. */
  sso_tenant_id?: string | null;
  /** Present on accounts of a provider. */
  sso_basis?: SsoBasis;
  /** When its organization last lost the domain that it stands on: a write that a sign-in at this moment meets. */
  sso_ended_at?: Date;
  name: string;
  password_hash: string | null;
  state: 'active' | 'invited' | 'disabled';
  mfa: 'none' | 'totp' | 'email';
  /** The TOTP secret (base32), sealed for this user's id under the master key's purpose `totp`; never serialized. */
  totp_sealed: string | null;
  /** The last time step whose code was used: a code counts once, in all processes. */
  totp_last_step?: number | null;
  /** HMACs of the recovery codes that are left; never serialized. */
  recovery_codes?: readonly string[];
  /** The organization whose staff the user is; null for the operator's own staff. */
  organization_id: string | null;
  last_login_at: Date | null;
  created_at: Date;
}

/** One role per user and tenant; `_id` is `<tenant_id>|<user_id>`. */
export interface MembershipRow {
  _id: string;
  tenant_id: string;
  user_id: string;
  email: string;
  role: Role;
  /** The last sign-in as this member, or switch to this tenant: what a person does by other memberships is none of its business. */
  last_login_at?: Date | null;
  created_at: Date;
}

const when = { type: Date, default: null };

export const organizations = defineSystemCollection<OrganizationRow>('organizations', {
  name: String,
  operator: Boolean,
  org_admins_left: Number,
  created_at: Date,
});

export const tenants = defineCollection<TenantRow>(
  'tenants',
  {
    organization_id: { type: String, required: true },
    name: String,
    plan: String,
    settings: Object,
    mfa_policy: String,
    require_sso: Boolean,
    ends_at: Date,
    created_at: Date,
  },
  [{ key: { tenant_id: 1 }, options: { unique: true } }],
);

const userRows = defineSystemCollection<UserRow>(
  'users',
  {
    email: { type: String, required: true },
    sso_tenant_id: String,
    sso_basis: String,
    sso_ended_at: Date,
    name: String,
    password_hash: String,
    state: String,
    mfa: String,
    totp_sealed: String,
    totp_last_step: Number,
    recovery_codes: [String],
    organization_id: String,
    last_login_at: when,
    created_at: Date,
  },
  [{ key: { email: 1, sso_tenant_id: 1 }, options: { unique: true } }],
);

/** One account an address was the rule before providers' accounts stood for themselves. */
export const users: typeof userRows = { ...userRows, formerIndexes: ['email_1'] };

/** Selects a person's own account: who comes by password or mailbox never meets one that a provider has made. */
export const ownAccount = (email: string) => ({ email, sso_tenant_id: null });

const membershipRows = defineCollection<MembershipRow>(
  'memberships',
  {
    user_id: { type: String, required: true },
    email: String,
    role: { type: String, required: true },
    last_login_at: when,
    created_at: Date,
  },
  [{ key: { tenant_id: 1, email: 1 } }],
);

/** Sign-in asks for a user's memberships before any tenant is known: the one index here that spans tenants. */
export const memberships: typeof membershipRows = { ...membershipRows, indexes: [...membershipRows.indexes, { key: { user_id: 1 } }] };

export const membershipId = (tenantId: string, userId: string): string => `${tenantId}|${userId}`;
