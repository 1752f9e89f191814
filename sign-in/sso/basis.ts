import type { TransactionOf } from '../../kit/store/query.js';
import { findHolder, isVerified } from '../../accounts/domains/holders.js';
import { domainOf } from '../../accounts/domains/name.js';
import { domainHolders } from '../../accounts/domains/records.js';
import { invites } from '../../accounts/invites.js';
import { membershipId, memberships, ownAccount, users, type SsoBasis, type TenantRow, type UserRow } from '../../accounts/records.js';
import type { AuthParts } from '../parts.js';
import { SignInRefused } from './refusal.js';

type Parts = Pick<AuthParts, 'database' | 'config' | 'clock'>;

/**
 * What lets the provider of a tenant make an account for an address (decision 52): the organization has verified the domain, or the address's
 * owner is a member by an invitation that was accepted through the mailbox.
 * @throws SignInRefused FORBIDDEN where neither does
 */
export async function findBasis(
  parts: Parts,
  { tenant_id, organization_id }: TenantRow,
  email: string,
  transaction?: TransactionOf,
): Promise<SsoBasis> {
  const domain = domainOf(email);
  const holder = await findHolder(parts, domain, transaction);
  if (holder?.organization_id === organization_id && isVerified(holder, parts.clock.now())) return 'domain';
  if (await wasInvited(parts, tenant_id, email, transaction)) return 'invitation';
  const reason = `The organization of this tenant has not verified the domain ${domain}, and this address is no member by invitation`;
  throw new SignInRefused('FORBIDDEN', reason, 'domain_unverified');
}

/** Whether the address's own account has joined by an invitation, and was not removed since. */
async function wasInvited(parts: Parts, tenantId: string, email: string, transaction?: TransactionOf): Promise<boolean> {
  const data = parts.database.tenant(tenantId);
  if (!(await data.collection(invites).findOne({ email, state: 'accepted' }, { transaction }))) return false;
  const own = await parts.database.system(users).findOne({ ...ownAccount(email), state: 'active' }, { transaction });
  return own !== null && (await data.collection(memberships).findOne({ _id: membershipId(tenantId, own._id) }, { transaction })) !== null;
}

/**
 * Notes that an account is made on the strength of a domain. Whoever gives the domain up, or gets it, at this moment meets this write: one of
 * the two goes first, and the other sees it.
 */
export async function useBasis({ database }: Parts, basis: SsoBasis, email: string, transaction: TransactionOf): Promise<void> {
  if (basis !== 'domain') return;
  await database.system(domainHolders).update({ _id: domainOf(email) }, { $inc: { accounts_made: 1 } }, { transaction });
}

/**
 * An account that was made for a domain signs in as long as its organization has the domain, also while its record is missing.
 * @param organizationId of the tenant that is signed in to
 * @throws SignInRefused FORBIDDEN when the organization has given the domain up, or lost it to another
 */
export async function assertBasis(
  parts: Parts,
  organizationId: string,
  user: Pick<UserRow, 'email' | 'sso_basis' | 'sso_tenant_id'>,
  transaction?: TransactionOf,
): Promise<void> {
  if (user.sso_tenant_id == null || user.sso_basis !== 'domain') return;
  const domain = domainOf(user.email);
  if ((await findHolder(parts, domain, transaction))?.organization_id === organizationId) return;
  throw new SignInRefused('FORBIDDEN', `The organization of this tenant no longer has the domain ${domain}`, 'domain_unverified');
}
