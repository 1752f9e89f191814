import { gone } from '../../kit/base/errors.js';
import { SYSTEM_ACTOR } from '../../kit/base/auth-context.js';
import { mayGrant } from '../../accounts/roles.js';
import { invites, inviteRowId, stateOf, versionOf, type InviteRow } from '../../accounts/invites.js';
import { tenants, users, type TenantRow } from '../../accounts/records.js';
import type { AuthParts } from '../parts.js';
import { findMembership } from '../homes.js';

/** An invitation that may be accepted now. */
export interface OpenInvite {
  readonly invite: InviteRow;
  readonly tenant: TenantRow;
}

/** What an invitation that is over answers, alike for every way of being over. */
export const inviteGone = () => gone('This invitation was used, taken back or replaced, or its 72 hours are over; ask for a new one');

/**
 * The invitation behind a link. It changes nothing: who opens a link has not accepted yet.
 * @throws PalisadeError GONE when it was accepted, revoked, reissued, is older than 72 hours, or when who invited could do so no longer;
 *   VALIDATION_ERROR for a token that was never ours
 */
export async function findOpenInvite(parts: AuthParts, token: string): Promise<OpenInvite> {
  const { subject, tenant_id, version, expired } = await parts.links.read('invite', token);
  if (expired || tenant_id === null) throw inviteGone();
  const data = parts.database.tenant(tenant_id);
  const invite = await data.collection(invites).findOne({ _id: inviteRowId(tenant_id, subject) });
  const tenant = await data.collection(tenants).findOne({});
  if (!invite || !tenant || tenant.ends_at || stateOf(invite, parts.clock.now()) !== 'pending' || versionOf(invite) !== version)
    throw inviteGone();
  if (!(await isBacked(parts, invite, tenant))) throw inviteGone();
  return { invite, tenant };
}

/** An invitation is worth as much as the word of who gave it: nobody lets others in after having been removed or demoted. */
export async function isBacked(parts: AuthParts, invite: InviteRow, tenant: TenantRow): Promise<boolean> {
  if (invite.invited_by === SYSTEM_ACTOR) return true;
  const inviter = await parts.database.system(users).findOne({ _id: invite.invited_by });
  const membership = inviter?.state === 'active' ? await findMembership(parts, inviter, tenant) : null;
  return membership !== null && mayGrant(membership.role, invite.role);
}
