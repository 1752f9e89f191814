import { createHash, randomBytes } from 'node:crypto';
import { repeatOnDuplicate } from '../../../subgraphs/_kit/database.js';
import { forbidden } from '../../../subgraphs/_kit/errors.js';
import type { TransactionOf } from '../../../subgraphs/_kit/tenant-collection.js';
import {
  membershipId,
  memberships,
  tenants,
  users,
  type MembershipRow,
  type TenantRow,
  type UserRow,
} from '../../../subgraphs/identity/records.js';
import { ssoIdentities, type SsoSettingsRow } from '../../../subgraphs/identity/sso/records.js';
import type { Home } from '../homes.js';
import type { AuthParts, Client } from '../parts.js';
import type { SsoAssertion } from './assertion.js';

/** The role of the mapped group of the lowest priority number, the default role without one; null blocks. */
export function mappedRole(settings: Pick<SsoSettingsRow, 'group_mappings' | 'default_role'>, groups: readonly string[]) {
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

/**
 * The account behind an assertion, made or brought up to date: keyed by tenant, provider and subject (decision 25). A first sign-in takes
 * over the account of the same address only where it is a member of the tenant already, or belongs to nobody else's organization. The
 * role follows the groups at every sign-in, except for org_admins, whom no group makes or unmakes, and for a tenant's last administrator.
 * @throws PalisadeError FORBIDDEN when no group is mapped and there is no default role, when the account is disabled or another
 *   organization's, or when it is above what the provider was trusted with
 */
export async function provision(
  parts: AuthParts,
  client: Client,
  settings: SsoSettingsRow,
  assertion: SsoAssertion,
): Promise<{ user: UserRow; home: Home }> {
  const role = mappedRole(settings, assertion.groups);
  return parts.database.transaction(async (transaction) => {
    const tenant = await parts.database.tenant(assertion.tenant_id).collection(tenants).findOne({}, { transaction });
    if (!tenant) throw forbidden(BLOCKED);
    const user = await accountOf(parts, tenant, assertion, role !== null, transaction);
    const membership = await membershipOf(parts, client, settings, tenant, user, role, transaction);
    return { user, home: { tenant, membership } };
  });
}

async function accountOf(
  parts: AuthParts,
  tenant: TenantRow,
  assertion: SsoAssertion,
  mayJoin: boolean,
  transaction: TransactionOf,
): Promise<UserRow> {
  const { tenant_id, provider, subject, email, name } = assertion;
  const identities = parts.database.tenant(tenant_id).collection(ssoIdentities);
  const people = parts.database.system(users);
  const now = parts.clock.now();
  const _id = identityId(assertion);
  const known = await identities.findOne({ _id }, { transaction });
  const user = await people.findOne(known ? { _id: known.user_id } : { email }, { transaction });
  if (known && !user) throw forbidden(BLOCKED);
  if (user) {
    // The operator's staff is nobody's employee: it comes by approval, never by a customer's word.
    if (user.organization_id === null) throw forbidden(BLOCKED);
    const isMember =
      (await parts.database
        .tenant(tenant_id)
        .collection(memberships)
        .findOne({ _id: membershipId(tenant_id, user._id) }, { transaction })) !== null;
    if (!isMember && (!mayJoin || user.organization_id !== tenant.organization_id)) throw forbidden(BLOCKED);
    if (user.state === 'disabled') throw forbidden(BLOCKED);
    const isOwn = user.organization_id === tenant.organization_id;
    if (!isOwn && user.state !== 'active') throw forbidden(BLOCKED);
    // A customer's provider says nothing of the name of a guest, who is another customer's.
    const changes = { ...(user.state === 'invited' && { state: 'active' as const }), ...(known && isOwn && name !== '' && { name }) };
    if (Object.keys(changes).length) await people.update({ _id: user._id }, { $set: changes }, { transaction });
    const identity = { _id, tenant_id, provider, subject, user_id: user._id, created_at: now };
    if (!known) await identities.insert(identity, { transaction }).catch(repeatOnDuplicate);
    return { ...user, ...changes };
  }
  if (!mayJoin) throw forbidden(BLOCKED);
  const made: UserRow = {
    _id: `usr_${randomBytes(12).toString('hex')}`,
    email,
    name: name || email.split('@')[0]!,
    password_hash: null,
    state: 'active',
    mfa: 'none',
    totp_sealed: null,
    organization_id: tenant.organization_id,
    last_login_at: null,
    created_at: now,
  };
  await people.insert(made, { transaction }).catch(repeatOnDuplicate);
  await identities
    .insert({ _id, tenant_id, provider, subject, user_id: made._id, created_at: now }, { transaction })
    .catch(repeatOnDuplicate);
  return made;
}

async function membershipOf(
  parts: AuthParts,
  client: Client,
  settings: SsoSettingsRow,
  tenant: TenantRow,
  user: UserRow,
  role: ReturnType<typeof mappedRole>,
  transaction: TransactionOf,
): Promise<MembershipRow> {
  const { tenant_id } = tenant;
  const rows = parts.database.tenant(tenant_id).collection(memberships);
  const _id = membershipId(tenant_id, user._id);
  const known = await rows.findOne({ _id }, { transaction });
  if (known?.role === 'platform_admin') throw forbidden(BLOCKED);
  if (known?.role === 'org_admin') {
    if (!settings.set_by_org_admin) throw forbidden('The identity provider of this tenant signs in nobody above tenant_admin');
    return known;
  }
  if (role === null) throw forbidden(BLOCKED);
  if (known?.role === role || (known && (await isLastAdmin(parts, known, transaction)))) return known;
  const now = parts.clock.now();
  const membership: MembershipRow = known
    ? { ...known, role }
    : { _id, tenant_id, user_id: user._id, email: user.email, role, created_at: now };
  const values = { user_id: user._id, email: user.email, role, created_at: membership.created_at };
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
async function isLastAdmin(parts: AuthParts, { _id, tenant_id, role }: MembershipRow, transaction: TransactionOf): Promise<boolean> {
  if (role !== 'tenant_admin') return false;
  const filter = { role: { $in: ['org_admin', 'tenant_admin'] }, _id: { $ne: _id } };
  const others = await parts.database.tenant(tenant_id).collection(memberships).find(filter, { transaction });
  const ids = others.map(({ user_id }) => user_id);
  return (await parts.database.system(users).count({ _id: { $in: ids }, state: 'active' }, { transaction })) === 0;
}
