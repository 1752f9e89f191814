import { ROLES } from '../schema/permissions.js';
import {
  membershipId,
  memberships,
  organizations,
  tenants,
  type MembershipRow,
  type OrganizationRow,
  type TenantRow,
  type UserRow,
} from '../accounts/records.js';
import type { Database } from '../kit/store/database.js';
import { canActIn } from './reach.js';
import { lookup } from './membership-status.js';

/** A tenant that a user may sign in to, and the membership that lets them. */
export interface Home {
  readonly membership: MembershipRow;
  readonly tenant: TenantRow;
}

/** Whether `user` enters `tenant` by the word of its identity provider alone. The operator's own staff has none there, and acts by approval. */
export const requiresSso = (tenant: TenantRow, user: UserRow): boolean => tenant.require_sso && user.organization_id !== null;

/** The homes that somebody may enter whom no identity provider vouches for. */
export const openWithoutSso = (homes: readonly Home[], user: UserRow | null): Home[] =>
  user === null ? [] : homes.filter(({ tenant }) => !requiresSso(tenant, user));

type JoinedMembership = MembershipRow & { tenant: TenantRow[]; organization: OrganizationRow[] };
const JOINS = [
  lookup(tenants.name, 'tenant_id', 'tenant'),
  lookup(organizations.name, 'tenant.organization_id', 'organization'),
  { $sort: { created_at: 1, _id: 1 } },
];

/** The tenants of a user, where the role is widest first, then the oldest membership. An unknown user costs the same question. */
export async function homesOf(parts: { readonly database: Database }, user: UserRow | null): Promise<Home[]> {
  const rows = parts.database.system(memberships);
  const own = await rows.aggregateAcross<JoinedMembership>([{ $match: { user_id: user?._id ?? '' } }, ...JOINS]);
  return own
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))
    .flatMap(({ tenant: [tenant], organization: [organization], ...membership }) =>
      user !== null && tenant && canActIn(tenant, membership, user, organization) ? [{ membership, tenant }] : [],
    );
}

/** The membership that lets `user` act in `tenant`, or null: the one in it, else an org_admin's of the same organization (decision 16). */
export async function findMembership(
  parts: { readonly database: Database },
  user: UserRow,
  tenant: TenantRow,
): Promise<MembershipRow | null> {
  const rows = parts.database.system(memberships);
  const organization = (await parts.database.system(organizations).findOne({ _id: tenant.organization_id })) ?? undefined;
  const own = await rows.findOne({ _id: membershipId(tenant.tenant_id, user._id) });
  if (own && canActIn(tenant, own, user, organization)) return own;
  const wide = await rows.findOne({ user_id: user._id, role: 'org_admin' });
  return wide && canActIn(tenant, wide, user, organization) ? wide : null;
}
