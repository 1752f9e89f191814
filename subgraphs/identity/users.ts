import type { EngineContext, EngineServices, IngestTargets } from '../../kit/engine/context.js';
import { badRequest, forbidden, invalid, notFound } from '../../kit/base/errors.js';
import { pageWindow, toPage, type PageArguments } from '../../kit/store/paging.js';
import type { TransactionOf } from '../../kit/store/query.js';
import type { Role } from '../../schema/permissions.js';
import { membershipId, memberships, organizations, tenants, users, type MembershipRow, type UserRow } from '../../accounts/records.js';
import { assertMayGrant, assertMayManage, lastAdmin, TENANT_ADMIN_ROLES } from '../../accounts/roles.js';
import { sessions } from '../../accounts/session-record.js';
import { ssoIdentities } from '../../accounts/providers/records.js';

/** What of a user leaves the engine. */
const SHOWN = ['email', 'name', 'state', 'mfa', 'organization_id', 'sso_tenant_id'] as const;
type ShownUser = Pick<UserRow, '_id' | (typeof SHOWN)[number]>;

const toUser = (membership: MembershipRow, user: ShownUser | undefined) => ({
  user_id: membership.user_id,
  email: membership.email,
  name: user?.name ?? '',
  role: membership.role,
  state: user?.state ?? 'disabled',
  mfa: user?.mfa ?? 'none',
  last_login_at: membership.last_login_at ?? null,
  created_at: membership.created_at,
});

/** The people behind memberships. Users span tenants, so only ids that memberships of this tenant or organization have named are asked for. */
async function peopleOf(
  { services }: { readonly services: Pick<EngineServices, 'database'> },
  rows: readonly MembershipRow[],
  transaction?: TransactionOf,
): Promise<Map<string, ShownUser>> {
  const ids = rows.map((row) => row.user_id);
  const found = ids.length === 0 ? [] : await services.database.system(users).find({ _id: { $in: ids } }, { fields: SHOWN, transaction });
  return new Map(found.map((user) => [user._id, user]));
}

/** Members asked for at once. */
const MAX_NAMED = 100;

/** The members behind addresses and ids who can sign in. @throws PalisadeError BAD_REQUEST for too many */
export function findMembers({ auth, services }: EngineContext, named: readonly string[]): Promise<MembershipRow[]> {
  if (named.length > MAX_NAMED) throw badRequest(`members must name at most ${MAX_NAMED} people`);
  return membersNamed(services, auth.tenant_id, named);
}

async function membersNamed(
  services: Pick<EngineServices, 'database'>,
  tenantId: string,
  named: readonly string[],
): Promise<MembershipRow[]> {
  const found = { $or: [{ email: { $in: named.map((name) => name.toLowerCase()) } }, { user_id: { $in: named } }] };
  const rows = await services.database
    .tenant(tenantId)
    .collection(memberships)
    .find(found, { sort: { _id: 1 } });
  const people = await peopleOf({ services }, rows);
  return rows.filter(({ user_id }) => people.get(user_id)?.state === 'active');
}

/** The roles of members, for work that acts in their name. */
export const membersOf: IngestTargets['membersOf'] = async (services, tenantId, named) => {
  const rows = await membersNamed(services, tenantId, named);
  return new Map(rows.flatMap(({ user_id, email, role }) => [user_id, email].map((name): [string, Role] => [name, role])));
};

export async function listUsers(context: EngineContext, args: PageArguments & { role?: Role[] | null }) {
  const window = pageWindow(args);
  const filter = args.role ? { role: { $in: args.role } } : {};
  const rows = context.collection(memberships);
  const [page, total] = await Promise.all([
    rows.find(filter, { sort: { email: 1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(filter),
  ]);
  const people = await peopleOf(context, page);
  return toPage(
    page.map((membership) => toUser(membership, people.get(membership.user_id))),
    total,
    window,
  );
}

export function setUserRole(context: EngineContext, userId: string, role: Role) {
  const { auth } = context;
  return context.transaction(async (transaction) => {
    const { membership, user } = await getManaged(context, userId, transaction);
    assertMayGrant(auth.role, role);
    if (role === 'org_admin' && user?.organization_id !== auth.organization_id) {
      throw invalid([{ path: 'role', message: 'Only people of the organization can administer it' }]);
    }
    if (role === 'org_admin' && user?.sso_tenant_id != null && membership.role !== role)
      throw invalid([{ path: 'role', message: "An account of the identity provider reaches this tenant only: invite the person's own" }]);
    if (role === membership.role) return toUser(membership, user);
    await assertAdminRemains(context, membership, role, transaction);
    await context.collection(memberships).update({ _id: membership._id }, { $set: { role } }, { transaction });
    // no provider signs in an org_admin on the word of less than one, and these sessions began before that was asked
    if (role === 'org_admin') {
      const vouched = { user_id: userId, membership_id: membership._id, sso_tenant_id: { $ne: null } };
      await context.services.database.system(sessions).remove(vouched, { transaction });
    }
    await context.audit(transaction, {
      ...entry(context, membership),
      action: 'role.change',
      role,
      detail: { from: membership.role, to: role },
    });
    return toUser({ ...membership, role }, user);
  });
}

/**
 * Ends the membership and the sessions under it, and forgets who the person is at the tenant's identity provider. The user, and what names the
 * user, stays.
 */
export function removeUser(context: EngineContext, userId: string): Promise<boolean> {
  return context.transaction(async (transaction) => {
    const { membership } = await getManaged(context, userId, transaction);
    await assertAdminRemains(context, membership, null, transaction);
    await context.collection(memberships).remove({ _id: membership._id }, { transaction });
    await context.collection(ssoIdentities).remove({ user_id: userId }, { transaction });
    await context.services.database.system(sessions).remove({ user_id: userId, membership_id: membership._id }, { transaction });
    await context.audit(transaction, { ...entry(context, membership), action: 'user.remove', role: membership.role });
    return true;
  });
}

const entry = ({ auth }: EngineContext, { user_id, email }: MembershipRow) =>
  ({ actor_email: auth.email, target: `user:${user_id}`, target_email: email, ip_address: auth.ip_address, result: 'success' }) as const;

/** @throws PalisadeError NOT_FOUND when the user is no member of the tenant; FORBIDDEN for oneself and for people above oneself */
async function getManaged(context: EngineContext, userId: string, transaction: TransactionOf) {
  const membership = await context.collection(memberships).findOne({ _id: membershipId(context.auth.tenant_id, userId) }, { transaction });
  if (!membership) throw notFound('User');
  if (userId === context.auth.user_id) throw forbidden('Nobody changes their own membership');
  assertMayManage(context.auth.role, membership.role);
  const people = await peopleOf(context, [membership], transaction);
  return { membership, user: people.get(userId) };
}

/**
 * Two administrators who remove each other at once meet at the head of the tenant's audit chain: the later transaction is repeated and
 * finds itself alone.
 * @param next the role that is to take the place of the present one; null when the membership ends
 * @throws PalisadeError VALIDATION_ERROR when no other active administrator is left
 */
async function assertAdminRemains(
  context: EngineContext,
  leaving: MembershipRow,
  next: Role | null,
  transaction: TransactionOf,
): Promise<void> {
  const isAdmin = (role: Role | null) => role !== null && TENANT_ADMIN_ROLES.includes(role);
  if (isAdmin(leaving.role) && !isAdmin(next)) {
    const others = await context
      .collection(memberships)
      .find({ role: { $in: TENANT_ADMIN_ROLES }, _id: { $ne: leaving._id } }, { transaction });
    if (!(await hasActive(context, others, transaction))) throw lastAdmin();
  }
  if (leaving.role === 'org_admin' && next !== 'org_admin') await assertOrgAdminRemains(context, leaving, transaction);
}

/** Tenants without members of their own have no other administrator than the organization's. */
async function assertOrgAdminRemains(context: EngineContext, leaving: MembershipRow, transaction: TransactionOf): Promise<void> {
  const { auth, services } = context;
  const { organization_id } = auth;
  await services.database.system(organizations).update({ _id: organization_id }, { $inc: { org_admins_left: 1 } }, { transaction });
  const own = await services.database.system(tenants).find({ organization_id }, { fields: ['tenant_id'], transaction });
  const filter = { tenant_id: { $in: own.map(({ tenant_id }) => tenant_id) }, role: 'org_admin', _id: { $ne: leaving._id } };
  if (!(await hasActive(context, await services.database.system(memberships).find(filter, { transaction }), transaction)))
    throw lastAdmin();
}

async function hasActive(context: EngineContext, rows: readonly MembershipRow[], transaction: TransactionOf): Promise<boolean> {
  const people = await peopleOf(context, rows, transaction);
  return rows.some(({ user_id }) => people.get(user_id)?.state === 'active');
}
