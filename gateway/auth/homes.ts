import { ROLES } from '../../schema/permissions.js';
import {
  membershipId,
  memberships,
  organizations,
  tenants,
  type MembershipRow,
  type TenantRow,
  type UserRow,
} from '../../subgraphs/identity/records.js';
import type { AuthParts } from './parts.js';
import { canActIn } from './reach.js';

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

/** The tenants of a user, where the role is widest first, then the oldest membership. An unknown user costs the same questions. */
export async function homesOf(parts: Pick<AuthParts, 'database'>, user: UserRow | null): Promise<Home[]> {
  const own = await parts.database.system(memberships).find({ user_id: user?._id ?? '' }, { sort: { created_at: 1, _id: 1 } });
  const rows = await parts.database.system(tenants).find({ _id: { $in: own.map((membership) => membership.tenant_id) } });
  const operators = await parts.database
    .system(organizations)
    .find({ _id: { $in: rows.map((row) => row.organization_id) }, operator: true });
  const byId = new Map(rows.map((row) => [row._id, row]));
  return own
    .sort((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role))
    .flatMap((membership) => {
      const tenant = byId.get(membership.tenant_id);
      return user !== null &&
        tenant &&
        canActIn(
          tenant,
          membership,
          user,
          operators.find(({ _id }) => _id === tenant.organization_id),
        )
        ? [{ membership, tenant }]
        : [];
    });
}

/** The membership that lets `user` act in `tenant`, or null: the one in it, else an org_admin's of the same organization (decision 16). */
export async function findMembership(parts: Pick<AuthParts, 'database'>, user: UserRow, tenant: TenantRow): Promise<MembershipRow | null> {
  const rows = parts.database.system(memberships);
  const organization = (await parts.database.system(organizations).findOne({ _id: tenant.organization_id })) ?? undefined;
  const own = await rows.findOne({ _id: membershipId(tenant.tenant_id, user._id) });
  if (own && canActIn(tenant, own, user, organization)) return own;
  const wide = await rows.findOne({ user_id: user._id, role: 'org_admin' });
  return wide && canActIn(tenant, wide, user, organization) ? wide : null;
}
