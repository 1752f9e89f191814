import { createHash, randomBytes } from 'node:crypto';
import type { Role } from '../../schema/permissions.js';
import { repeatOnDuplicate } from '../../kit/store/database.js';
import { forbidden } from '../../kit/base/errors.js';
import type { TransactionOf } from '../../kit/store/query.js';
import {
  membershipId,
  memberships,
  tenants,
  users,
  type MembershipRow,
  type SsoBasis,
  type TenantRow,
  type UserRow,
} from '../../accounts/records.js';
import { ssoIdentities, ssoSettings, type SsoSettingsRow } from '../../accounts/providers/records.js';
import { findMembership, type Home } from '../homes.js';
import type { AuthParts, Client } from '../parts.js';
import type { SsoAssertion } from './assertion.js';
import { assertBasis, findBasis, useBasis } from './basis.js';
import { settingsChanged } from './refusal.js';

/** The role of the mapped group of the lowest priority number, the default role without one; null blocks. */
function mappedRole(settings: Pick<SsoSettingsRow, 'group_mappings' | 'default_role'>, groups: readonly string[]) {
  const [best] = settings.group_mappings.filter(({ group }) => groups.includes(group)).sort((a, b) => a.priority - b.priority);
  return best?.role ?? settings.default_role;
}

/** Key of the account of a provider's subject in a tenant. */
export function identityId({ tenant_id, provider, subject }: Pick<SsoAssertion, 'tenant_id' | 'provider' | 'subject'>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([provider, subject]))
    .digest('base64url');
  return `${tenant_id}|${hash}`;
}

const BLOCKED = 'This account may not sign in to this tenant';
const BELONGS_TO_ANOTHER = 'The account of this address belongs to somebody else at the identity provider';

/** Who would sign in by an assertion, and as what. */
export interface Arrival {
  readonly tenant: TenantRow;
  /** The account; null where it is to be made. */
  readonly user: UserRow | null;
  /** What lets the provider make the account, or take up one that it has made; null for one that is this subject's already. */
  readonly basis: SsoBasis | null;
  /** Whether the account is this subject's already, by a sign-in before. */
  readonly isKnown: boolean;
  /** The membership that reaches the tenant as it stands: one in it, or an org_admin's of the organization; null where it is to be made. */
  readonly membership: MembershipRow | null;
  readonly role: Role;
}

/**
 * The account behind an assertion, which is keyed by tenant, provider and subject (decisions 25, 52). A first sign-in makes one that reaches
 * this tenant alone, beside a person's own account of the address, which no provider finds. It takes up the one that the tenant has for the
 * address already where that is no other subject's of the provider: a tenant may change its provider. The role follows the groups at every
 * sign-in, except for org_admins, whom no group makes or unmakes, and for a tenant's last administrator. Nothing is changed.
 * @throws PalisadeError FORBIDDEN when no group is mapped and there is no default role, when the account is disabled or another subject's, or
 *   when it is above what the provider was trusted with; SignInRefused when nothing lets the provider make an account of the address
 */
export async function findArrival(
  parts: Pick<AuthParts, 'database' | 'config' | 'clock'>,
  settings: SsoSettingsRow,
  assertion: SsoAssertion,
  transaction?: TransactionOf,
): Promise<Arrival> {
  const { tenant_id, provider, email } = assertion;
  const data = parts.database.tenant(tenant_id);
  const tenant = await data.collection(tenants).findOne({}, { transaction });
  if (!tenant || tenant.ends_at) throw forbidden(BLOCKED);
  const _id = identityId(assertion);
  const known = await data.collection(ssoIdentities).findOne({ _id }, { transaction });
  const wanted = known ? { _id: known.user_id } : { email, sso_tenant_id: tenant_id };
  const user = await parts.database.system(users).findOne(wanted, { transaction });
  const role = mappedRole(settings, assertion.groups);
  if (!user) {
    if (known || role === null) throw forbidden(BLOCKED);
    const basis = await findBasis(parts, tenant, email, transaction);
    return { tenant, user, isKnown: false, membership: null, role, basis };
  }
  // The operator's staff is nobody's employee: it comes by approval, never by a customer's word.
  if (user.organization_id === null || user.state === 'disabled') throw forbidden(BLOCKED);
  const own = await data.collection(memberships).findOne({ _id: membershipId(tenant_id, user._id) }, { transaction });
  if (user.organization_id !== tenant.organization_id && (!own || user.state !== 'active')) throw forbidden(BLOCKED);
  const membership = own ?? (await findMembership(parts, user, tenant));
  // An address may be given to somebody else, or changed by its owner; the subject may not.
  const others = { user_id: user._id, provider, _id: { $ne: _id } };
  if (!known && (await data.collection(ssoIdentities).count(others, { transaction })) > 0) throw forbidden(BELONGS_TO_ANOTHER);
  // who was removed comes back as a new person does; a member from before domains were verified stays one under another provider
  const stays = known !== null || (own !== null && user.sso_basis === 'earlier');
  const basis = stays ? null : await findBasis(parts, tenant, user.email, transaction);
  if (stays) await assertBasis(parts, tenant.organization_id, user, transaction);
  const next = await roleAfter(parts, settings, membership, role, transaction);
  return { tenant, user, isKnown: known !== null, membership, role: next, basis };
}

/** The role that a membership comes to. @throws PalisadeError FORBIDDEN when there is none */
async function roleAfter(
  parts: Pick<AuthParts, 'database'>,
  settings: SsoSettingsRow,
  membership: MembershipRow | null,
  mapped: ReturnType<typeof mappedRole>,
  transaction: TransactionOf | undefined,
): Promise<Role> {
  if (membership?.role === 'platform_admin') throw forbidden(BLOCKED);
  if (membership?.role === 'org_admin') {
    if (!settings.set_by_org_admin) throw forbidden('The identity provider of this tenant signs in nobody above tenant_admin');
    return membership.role;
  }
  if (mapped === null) throw forbidden(BLOCKED);
  if (membership && membership.role !== mapped && (await isLastAdmin(parts, membership, transaction))) return membership.role;
  return mapped;
}

/**
 * Makes the account behind an assertion, or brings it up to date.
 * @param settings under which the assertion was checked
 * @throws PalisadeError FORBIDDEN as `findArrival` does; SignInRefused when the settings have changed since
 */
export async function provision(
  parts: AuthParts,
  client: Client,
  settings: SsoSettingsRow,
  assertion: SsoAssertion,
): Promise<{ user: UserRow; home: Home }> {
  return parts.database.transaction(async (transaction) => {
    const present = await parts.database.tenant(assertion.tenant_id).collection(ssoSettings).findOne({}, { transaction });
    if (present?.updated_at.getTime() !== settings.updated_at.getTime()) throw settingsChanged();
    const arrival = await findArrival(parts, settings, assertion, transaction);
    const user = await bringUpToDate(parts, settings, arrival, assertion, transaction);
    return { user, home: { tenant: arrival.tenant, membership: await join(parts, client, arrival, user, transaction) } };
  });
}

async function bringUpToDate(
  parts: AuthParts,
  settings: SsoSettingsRow,
  { tenant, user, isKnown, basis }: Arrival,
  assertion: SsoAssertion,
  transaction: TransactionOf,
): Promise<UserRow> {
  const { tenant_id, provider, subject, email, name } = assertion;
  const people = parts.database.system(users);
  const created_at = parts.clock.now();
  const note = (user_id: string) =>
    parts.database
      .tenant(tenant_id)
      .collection(ssoIdentities)
      .insert({ _id: identityId(assertion), tenant_id, provider, subject, user_id, created_at }, { transaction })
      .catch(repeatOnDuplicate);
  if (basis !== null) await useBasis(parts, basis, email, transaction);
  if (user) {
    const renames = isKnown && name !== '' && (await mayRename(parts, settings, tenant, user, transaction));
    const changes = {
      ...(user.state === 'invited' && { state: 'active' as const }),
      ...(renames && { name }),
      ...(basis !== null && { sso_basis: basis }),
    };
    if (Object.keys(changes).length) await people.update({ _id: user._id }, { $set: changes }, { transaction });
    if (!isKnown) await note(user._id);
    return { ...user, ...changes };
  }
  const made: UserRow = {
    _id: `usr_${randomBytes(12).toString('hex')}`,
    email,
    sso_tenant_id: tenant_id,
    ...(basis !== null && { sso_basis: basis }),
    name: name || email.split('@')[0]!,
    password_hash: null,
    state: 'active',
    mfa: 'none',
    totp_sealed: null,
    organization_id: tenant.organization_id,
    last_login_at: null,
    created_at,
  };
  await people.insert(made, { transaction }).catch(repeatOnDuplicate);
  await note(made._id);
  return made;
}

/**
 * Whether a provider says what somebody is called: not where it is linked to a person's own account, whose name is seen elsewhere, and a member
 * of other tenants of the organization only where an org_admin stands behind it.
 */
async function mayRename(
  { database }: AuthParts,
  { set_by_org_admin }: SsoSettingsRow,
  { tenant_id, organization_id }: TenantRow,
  user: UserRow,
  transaction: TransactionOf,
): Promise<boolean> {
  if (user.sso_tenant_id == null || user.organization_id !== organization_id) return false;
  if (set_by_org_admin) return true;
  const elsewhere = { user_id: user._id, tenant_id: { $ne: tenant_id } };
  return (await database.system(memberships).count(elsewhere, { transaction })) === 0;
}

async function join(
  parts: AuthParts,
  client: Client,
  { tenant: { tenant_id }, membership: known, role }: Arrival,
  user: UserRow,
  transaction: TransactionOf,
): Promise<MembershipRow> {
  if (known?.role === role) return known;
  const now = parts.clock.now();
  const _id = membershipId(tenant_id, user._id);
  const membership: MembershipRow = known
    ? { ...known, role }
    : { _id, tenant_id, user_id: user._id, email: user.email, role, created_at: now };
  const values = { user_id: user._id, email: user.email, role, created_at: membership.created_at };
  const rows = parts.database.tenant(tenant_id).collection(memberships);
  await rows.update({ _id }, { $set: values }, { transaction, upsert: true }).catch(repeatOnDuplicate);
  await parts.audit.append(transaction, tenant_id, now, [
    {
      action: 'role.change',
      actor_email: user.email,
      target: `user:${user._id}`,
      target_email: user.email,
      role,
      ip_address: client.ip_address,
      result: 'success',
      detail: { from: known?.role ?? null, to: role, by: 'group mapping' },
    },
  ]);
  return membership;
}

/** Whether a tenant would be left without an active administrator: then the groups do not take the role away (decision 15). */
async function isLastAdmin(
  parts: Pick<AuthParts, 'database'>,
  { _id, tenant_id, role }: MembershipRow,
  transaction: TransactionOf | undefined,
): Promise<boolean> {
  if (role !== 'tenant_admin') return false;
  const filter = { role: { $in: ['org_admin', 'tenant_admin'] }, _id: { $ne: _id } };
  const others = await parts.database.tenant(tenant_id).collection(memberships).find(filter, { transaction });
  const ids = others.map(({ user_id }) => user_id);
  return (await parts.database.system(users).count({ _id: { $in: ids }, state: 'active' }, { transaction })) === 0;
}
