import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { EngineContext } from '../../../kit/engine/context.js';
import { conflict, forbidden, invalid, notFound, violationsOf } from '../../../kit/base/errors.js';
import { getLinkTokens } from '../../../kit/keys/link-token.js';
import { queueMail } from '../../../kit/work/mail.js';
import { pageWindow, toPage, type PageArguments } from '../../../kit/store/paging.js';
import { publicOrigin } from '../../../kit/base/public-origin.js';
import type { TransactionOf } from '../../../kit/store/query.js';
import { ROLES } from '../../../schema/permissions.js';
import { membershipId, memberships, tenants } from '../../../accounts/records.js';
import { assertMayGrant, assertMayManage } from '../../../accounts/roles.js';
import { inviteMail } from './mail.js';
import { INVITE_LIFE, inviteRowId, invites, stateOf, versionOf, type InviteRow, type InviteState } from '../../../accounts/invites.js';

const inputSchema = z.strictObject({
  email: z.string().trim().toLowerCase().max(254).pipe(z.email('must be an e-mail address')),
  role: z.enum(ROLES),
});

/** An invitation and, where no mail carries it, its link. */
export type IssuedInvite = InviteRow & { link: string | null };

export async function listInvites(context: EngineContext, args: PageArguments & { state?: InviteState[] | null }) {
  const window = pageWindow(args);
  const filter = args.state ? { $or: args.state.map((state) => conditionOf(state, context.services.clock.now())) } : {};
  const rows = context.collection(invites);
  const [items, total] = await Promise.all([
    rows.find(filter, { sort: { created_at: -1, _id: 1 }, skip: window.skip, limit: window.limit }),
    rows.count(filter),
  ]);
  return toPage(items, total, window);
}

function conditionOf(state: InviteState, now: Date): Record<string, unknown> {
  if (state === 'expired') return { state: 'pending', expires_at: { $lte: now } };
  return state === 'pending' ? { state, expires_at: { $gt: now } } : { state };
}

/** Whom to invite, with which role. @throws PalisadeError VALIDATION_ERROR */
export function parseInvite(input: unknown): z.infer<typeof inputSchema> {
  const parsed = inputSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw invalid(violationsOf(parsed.error));
}

/**
 * Invites an address with a role. Whether somebody outside the tenant has an account of the address is not told.
 * @throws PalisadeError FORBIDDEN for a role above the caller's; CONFLICT for a member, for an address that has an open invitation, and where
 *   the identity provider alone signs people in
 */
export async function createInvite(context: EngineContext, input: unknown): Promise<IssuedInvite> {
  const { email, role } = parseInvite(input);
  const { tenant_id } = context.auth;
  assertMayGrant(context.auth.role, role);
  return issue(context, async (transaction) => {
    if (await context.collection(memberships).findOne({ email }, { transaction })) throw conflict('This person is a member already');
    const open = await context.collection(invites).findOne({ email, state: 'pending' }, { transaction });
    if (open) throw conflict('This address has an open invitation: reissue or revoke it', { id: open.invite_id });
    const invite_id = `inv_${randomBytes(12).toString('hex')}`;
    const row: InviteRow = {
      _id: inviteRowId(tenant_id, invite_id),
      tenant_id,
      invite_id,
      email,
      role,
      state: 'pending',
      generation: 1,
      ...inviterOf(context),
      created_at: context.services.clock.now(),
      accepted_at: null,
    };
    await context.collection(invites).insert(row, { transaction });
    await context.audit(transaction, { ...entryOf(context, row), action: 'user.invite' });
    return row;
  });
}

/**
 * Makes a new link, which lives 72 hours from now; the one before is dead.
 * @throws PalisadeError NOT_FOUND; FORBIDDEN for a role above the caller's; CONFLICT when it was accepted or revoked
 */
export async function reissueInvite(context: EngineContext, inviteId: string): Promise<IssuedInvite> {
  return issue(context, async (transaction) => {
    const row = await getOpen(context, inviteId, transaction);
    const changes = { ...inviterOf(context), generation: row.generation + 1 };
    await context.collection(invites).update({ _id: row._id }, { $set: changes }, { transaction });
    await context.audit(transaction, { ...entryOf(context, row), action: 'invite.reissue' });
    return { ...row, ...changes };
  });
}

/** @throws as `reissueInvite` does */
export function revokeInvite(context: EngineContext, inviteId: string): Promise<boolean> {
  return context.transaction(async (transaction) => {
    const row = await getOpen(context, inviteId, transaction);
    await context.collection(invites).update({ _id: row._id }, { $set: { state: 'revoked' } }, { transaction });
    await context.audit(transaction, { ...entryOf(context, row), action: 'invite.revoke' });
    return true;
  });
}

/** What a reissue renews: who answers for the invitation, and until when it may be accepted. */
const inviterOf = ({ auth, services }: EngineContext) => ({
  invited_by: auth.user_id,
  invited_by_email: auth.email,
  expires_at: new Date(services.clock.now().getTime() + INVITE_LIFE),
});

const entryOf = ({ auth }: EngineContext, { invite_id, email, role }: InviteRow) =>
  ({
    actor_email: auth.email,
    target: `invite:${invite_id}`,
    target_email: email,
    role,
    ip_address: auth.ip_address,
    result: 'success',
  }) as const;

/** Writes an invitation and makes its link: into a mail where there is a mail server, else into the answer, this once. */
async function issue(context: EngineContext, write: (transaction: TransactionOf) => Promise<InviteRow>): Promise<IssuedInvite> {
  const { auth, services } = context;
  const links = await getLinkTokens(services);
  const issued = await context.transaction(async (transaction) => {
    const tenant = await context.collection(tenants).findOne({}, { transaction });
    if (!tenant) throw notFound('Tenant');
    if (tenant.require_sso) throw conflict('People come to this tenant through its identity provider');
    await assertNoVisitor(context, transaction);
    const row = await write(transaction);
    const claims = { subject: row.invite_id, tenant_id: row.tenant_id, version: versionOf(row) };
    const link = `${publicOrigin(services.config)}/auth/invite?token=${await links.issue('invite', claims, row.expires_at)}`;
    if (!services.mailer.configured) return { ...row, link };
    await queueMail(services, transaction, auth, inviteMail(row, tenant, link));
    return { ...row, link: null };
  });
  services.jobs.wake();
  return issued;
}

/** Support staff in a customer's tenant let nobody in who stays when they have gone. */
async function assertNoVisitor({ auth, collection }: EngineContext, transaction: TransactionOf): Promise<void> {
  if (auth.role !== 'platform_admin') return;
  const own = await collection(memberships).findOne({ _id: membershipId(auth.tenant_id, auth.user_id) }, { transaction });
  if (!own) throw forbidden('Support staff invite nobody into the tenant of a customer');
}

async function getOpen(context: EngineContext, inviteId: string, transaction: TransactionOf): Promise<InviteRow> {
  const row = await context.collection(invites).findOne({ _id: inviteRowId(context.auth.tenant_id, inviteId) }, { transaction });
  if (!row) throw notFound('Invite');
  assertMayManage(context.auth.role, row.role);
  if (row.state !== 'pending') throw conflict(`The invitation is ${stateOf(row, context.services.clock.now())}`);
  return row;
}
