import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conflict, forbidden, gone, unauthenticated } from '../kit/base/errors.js';
import type { TransactionOf } from '../kit/store/query.js';
import { secondSteps } from '../accounts/factors/records.js';
import { memberships, users, type UserRow } from '../accounts/records.js';
import { sessions, type SessionRow } from '../accounts/session-record.js';
import { ssoIdentities } from '../accounts/providers/records.js';
import { assertProved } from '../kit/base/person.js';
import { authenticateSession } from './authenticate.js';
import { clearSessionCookie } from './cookie.js';
import { findMembership } from './homes.js';
import type { AuthParts } from './parts.js';
import { proofOf } from './reauthentication.js';
import type { LiveSession } from './sessions.js';

/** Seconds between the two halves: time to sign in through the provider. */
const LINK_LIFE = 600;

export const linkBody = z
  .strictObject({ token: z.string().min(1).max(8_192).describe('The token that `POST /api/auth/link` has answered with.') })
  .describe('Joins the account of an identity provider to the own one.');
export const linkAnswer = z
  .strictObject({
    token: z.string().describe('To be sent within ten minutes, while this session lives.'),
    expires_in: z.int().describe('Seconds that the token lives.'),
  })
  .describe('What lets the account of an identity provider be joined to this one.');

/** How a token names the session that it was made in; the session's id is nobody's to read. */
const sessionDigest = (id: string): string => createHash('sha256').update(`link ${id}`).digest('base64url');

/**
 * The first half of linking: the person's own account, signed in to without a provider, lets one of a provider be joined to it.
 * @returns a token for `finishLink`, good for as long as this session lives, at most ten minutes
 * @throws PalisadeError FORBIDDEN for a session that a provider or a support access stands behind
 */
export async function beginLink(parts: AuthParts, request: FastifyRequest): Promise<z.infer<typeof linkAnswer>> {
  const live = await authenticateSession(parts, request);
  const { session, user } = live;
  if (user.sso_tenant_id != null || session.sso_tenant_id !== null || session.support_access_id !== null)
    throw forbidden('Begin in a session of your own account, signed in to without an identity provider');
  assertProved(proofOf(live, parts.clock.now()));
  const ends = new Date(parts.clock.now().getTime() + LINK_LIFE * 1000);
  const claims = { subject: user._id, tenant_id: null, version: sessionDigest(session._id) };
  return { token: await parts.links.issue('account-link', claims, ends), expires_in: LINK_LIFE };
}

/**
 * The second half, in a session of the provider's account: from now on the provider signs in the person's own account in this tenant. The
 * provider's account leaves the tenant, and its sessions end; its role, which the groups have given, passes on, except to an org_admin.
 * @throws PalisadeError FORBIDDEN in any other session; GONE when the token or the session that it was made in is over; CONFLICT where the own
 *   account is no member of the tenant
 */
export async function finishLink(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  parse: () => z.infer<typeof linkBody>,
): Promise<void> {
  const live = await authenticateSession(parts, request);
  if (live.user.sso_tenant_id !== live.tenant.tenant_id || live.role === 'org_admin')
    throw forbidden('Finish in the tenant whose identity provider has made the account');
  const { subject, version, expired } = await parts.links.read('account-link', parse().token);
  await parts.database.transaction(async (transaction) => {
    const user = await findOwner(parts, expired ? '' : subject, version, transaction);
    await join(parts, request, live, user, transaction);
  });
  void reply.removeHeader('set-cookie');
  clearSessionCookie(request, reply, parts.publicUrl);
}

/** The own account behind a token, as long as the session lives that it was made in. */
async function findOwner(parts: AuthParts, userId: string, version: string, transaction: TransactionOf): Promise<UserRow> {
  const { database, clock } = parts;
  const lives = (row: SessionRow) => row.sso_tenant_id === null && row.expires_at > clock.now() && sessionDigest(row._id) === version;
  const open = await database.system(sessions).find({ user_id: userId }, { transaction });
  const user = open.some(lives) ? await database.system(users).findOne({ _id: userId, state: 'active' }, { transaction }) : null;
  if (!user) throw gone('This link is over: begin again in a session of your own account');
  return user;
}

async function join(
  { database, sessions: live, audit, clock }: AuthParts,
  request: FastifyRequest,
  { session, user: provided, membership: theirs, tenant, role }: LiveSession,
  user: UserRow,
  transaction: TransactionOf,
): Promise<void> {
  // of several calls at once, one ends the session that they all come in
  if (!(await live.end(session._id, transaction))) throw unauthenticated();
  const { tenant_id } = tenant;
  const data = database.tenant(tenant_id);
  const membership = await findMembership({ database }, user, tenant);
  if (!membership) throw conflict('Your own account is no member of this tenant');
  if (membership.role !== 'org_admin')
    await data.collection(memberships).update({ _id: membership._id }, { $set: { role } }, { transaction });
  await data.collection(ssoIdentities).updateMany({ user_id: provided._id }, { $set: { user_id: user._id } }, { transaction });
  await data.collection(memberships).remove({ _id: theirs._id }, { transaction });
  await live.endAll(provided._id, transaction);
  await database.system(secondSteps).remove({ user_id: provided._id }, { transaction });
  await audit.append(transaction, tenant_id, clock.now(), [
    {
      action: 'user.link',
      actor_email: user.email,
      target: `user:${user._id}`,
      target_email: provided.email,
      role: membership.role === 'org_admin' ? membership.role : role,
      ip_address: request.ip,
      result: 'success',
      detail: { joined: provided._id },
    },
  ]);
}
