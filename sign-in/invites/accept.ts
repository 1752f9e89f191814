import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conflict, forbidden, unauthenticated } from '../../kit/base/errors.js';
import type { TransactionOf } from '../../kit/store/query.js';
import { repeatOnDuplicate } from '../../kit/store/database.js';
import { invites } from '../../accounts/invites.js';
import { membershipId, memberships, ownAccount, users, type MembershipRow, type UserRow } from '../../accounts/records.js';
import { authenticatedAt } from '../../accounts/session-record.js';
import { findSession } from '../authenticate.js';
import { finishSignIn, type SignInOutcome } from '../finish-sign-in.js';
import type { SignedIn } from '../signed-in.js';
import { clientOf, type AuthParts, type Client } from '../parts.js';
import { hashPassword } from '../password.js';
import { isPasswordOf } from '../passwords/check.js';
import { assertGoodPassword } from '../passwords/rules.js';
import type { LiveSession } from '../sessions.js';
import { findOpenInvite, inviteGone, isBacked, type OpenInvite } from './open-invite.js';

export const acceptBody = z
  .strictObject({
    token: z.string().min(1).max(8_192).describe("The token of the invitation's link."),
    name: z
      .string()
      .trim()
      .min(1, 'Enter your name')
      .max(100, 'The name must have at most 100 characters')
      .optional()
      .describe('Name of a new account.'),
    password: z.string().min(1).max(1_024).optional().meta({
      format: 'password',
      description:
        'The password that a new account gets, or that of the account that the address has; not needed by its owner who is signed in.',
    }),
  })
  .describe('Accepts an invitation.');
export type AcceptBody = z.infer<typeof acceptBody>;

/** Accepts an invitation and signs in by it; a session of the caller makes room for the new one. @throws as `acceptInvite` and `finishSignIn` do */
export async function acceptAndSignIn(parts: AuthParts, request: FastifyRequest, body: AcceptBody): Promise<SignInOutcome> {
  const before = await findSession(parts, request);
  const client = clientOf(request);
  const signedIn = await acceptInvite(parts, client, body, before);
  const outcome = await finishSignIn(parts, client, signedIn);
  if (outcome.token !== null && before?.user._id === signedIn.user._id) await parts.sessions.end(before.session._id);
  return outcome;
}

/**
 * Accepts an invitation: once, however many try at the same time. The link proves the mailbox. An address without an account gets one, with
 * the given password. An account that is there already must be shown as well, by its password or by a session, because a mailbox alone
 * takes no account over; it keeps its organization, and becomes a guest where that is another one.
 * @param session the caller's, when there is one
 * @returns the first factor that was shown, for `finishSignIn`
 * @throws PalisadeError GONE and VALIDATION_ERROR as `findOpenInvite` does; VALIDATION_ERROR for a password that breaks the rules;
 *   UNAUTHENTICATED for a wrong one; CONFLICT for a member; FORBIDDEN for a guest who would administer the organization, and where the
 *   tenant's identity provider alone signs people in
 */
export async function acceptInvite(parts: AuthParts, client: Client, body: AcceptBody, session: LiveSession | null): Promise<SignedIn> {
  const open = await findOpenInvite(parts, body.token);
  const { invite, tenant } = open;
  const known = await parts.database.system(users).findOne(ownAccount(invite.email));
  const own = session !== null && session.user._id === known?._id && mayVouch(session, open) ? session.session : null;
  if (tenant.require_sso && own?.sso_tenant_id !== tenant.tenant_id)
    throw forbidden('Sign in through the identity provider of this tenant');
  if (known) {
    if (!own) await proveAccount(parts, client, known, body.password);
    assertMayJoin(known, open);
  }
  const user = known ?? (await newUser(parts, open, body));
  const membership = await join(parts, client, open, user, known === null);
  return {
    user,
    homes: [{ membership, tenant }],
    method: 'invite',
    second_factor: own?.second_factor ?? false,
    sso_tenant_id: own?.sso_tenant_id ?? null,
    // a session that vouches is no new proof of who sits before it
    ...(own && { authenticated_at: authenticatedAt(own) }),
  };
}

/** What an identity provider says of a person counts in its tenant only. */
const mayVouch = ({ session }: LiveSession, { tenant }: OpenInvite): boolean =>
  session.sso_tenant_id === null || session.sso_tenant_id === tenant.tenant_id;

async function proveAccount(parts: AuthParts, client: Client, user: UserRow, password: string | undefined): Promise<void> {
  if (password === undefined || !(await isPasswordOf(parts, client, user, password)))
    throw unauthenticated('You have an account already: sign in first, or give its password');
}

function assertMayJoin(user: UserRow, { invite, tenant }: OpenInvite): void {
  if (user.organization_id === null) throw forbidden("The operator's staff join no tenant");
  if (invite.role === 'org_admin' && user.organization_id !== tenant.organization_id)
    throw forbidden('Only people of the organization can administer it');
}

async function newUser(parts: AuthParts, { invite, tenant }: OpenInvite, { name, password = '' }: AcceptBody): Promise<UserRow> {
  assertGoodPassword(password, invite.email);
  return {
    _id: `usr_${randomBytes(12).toString('hex')}`,
    email: invite.email,
    sso_tenant_id: null,
    name: name ?? invite.email.split('@')[0]!,
    password_hash: await hashPassword(password),
    state: 'active',
    mfa: 'none',
    totp_sealed: null,
    organization_id: tenant.organization_id,
    last_login_at: null,
    created_at: parts.clock.now(),
  };
}

/** Uses the invitation up, and makes the account where it is new, the membership and their audit entries, in one transaction. */
function join(parts: AuthParts, client: Client, open: OpenInvite, user: UserRow, isNew: boolean): Promise<MembershipRow> {
  const { invite, tenant } = open;
  const { tenant_id } = tenant;
  return parts.database.transaction(async (transaction) => {
    const now = parts.clock.now();
    const data = parts.database.tenant(tenant_id);
    const { matched } = await data
      .collection(invites)
      .update(
        { _id: invite._id, state: 'pending', generation: invite.generation, expires_at: { $gt: now } },
        { $set: { state: 'accepted', accepted_at: now } },
        { transaction },
      );
    if (matched === 0) throw inviteGone();
    // once more: who removes or demotes the inviter at this moment meets this transaction at the head of the audit log
    if (!(await isBacked(parts, invite, tenant))) throw inviteGone();
    if (isNew) await insertUser(parts, user, transaction);
    const membership: MembershipRow = {
      _id: membershipId(tenant_id, user._id),
      tenant_id,
      user_id: user._id,
      email: user.email,
      role: invite.role,
      created_at: now,
    };
    const rows = data.collection(memberships);
    if (await rows.findOne({ _id: membership._id }, { transaction })) throw conflict('You are a member of this tenant already');
    await rows.insert(membership, { transaction });
    const entry = {
      actor_email: user.email,
      target_email: user.email,
      role: invite.role,
      ip_address: client.ip_address,
      result: 'success',
    } as const;
    await parts.audit.append(transaction, tenant_id, now, [
      { ...entry, action: 'invite.accept', target: `invite:${invite.invite_id}` },
      {
        ...entry,
        action: 'role.change',
        target: `user:${user._id}`,
        detail: { from: null, to: invite.role, by: 'invitation of', inviter: invite.invited_by_email },
      },
    ]);
    return membership;
  });
}

/** An account of the address may have been made since it was looked for: by an invitation to another tenant, or by single sign-on. */
async function insertUser(parts: AuthParts, user: UserRow, transaction: TransactionOf): Promise<void> {
  const people = parts.database.system(users);
  if (await people.findOne(ownAccount(user.email), { transaction }))
    throw conflict('You have an account meanwhile: accept again with its password');
  await people.insert(user, { transaction }).catch(repeatOnDuplicate);
}
