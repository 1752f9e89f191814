import {
  memberships,
  organizations,
  tenants,
  users,
  type MembershipRow,
  type OrganizationRow,
  type TenantRow,
  type UserRow,
} from '../accounts/records.js';

/** A row that acts for a user, with what decides whether it still may; each list has one row or none. */
export type Joined<Row> = Row & { user: UserRow[]; membership: MembershipRow[]; tenant: TenantRow[]; organization: OrganizationRow[] };

export const lookup = (from: string, localField: string, as: string) => ({ $lookup: { from, localField, foreignField: '_id', as } });

/** Joins user, membership, tenant and its organization to a row with `user_id`, `membership_id` and `tenant_id`, in the same round trip. */
export const MEMBERSHIP_STATUS = [
  lookup(users.name, 'user_id', 'user'),
  lookup(memberships.name, 'membership_id', 'membership'),
  lookup(tenants.name, 'tenant_id', 'tenant'),
  lookup(organizations.name, 'tenant.organization_id', 'organization'),
  { $unset: ['user.password_hash', 'user.totp_sealed', 'user.recovery_codes'] },
];
