import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AuditInput } from '../kit/audit/entry.js';
import { forbidden, notFound } from '../kit/base/errors.js';
import type { TransactionOf } from '../kit/store/query.js';
import { hasShownEnough } from '../accounts/factors/policy.js';
import { memberships, tenants, type MembershipRow, type TenantRow } from '../accounts/records.js';
import type { SessionRow } from '../accounts/session-record.js';
import { supportAccesses, type SupportAccessRow } from '../accounts/support-access.js';
import { isOrganizationsProvider } from '../accounts/whole-account.js';
import { authenticateSession, supportOf } from './authenticate.js';
import { setSessionCookie } from './cookie.js';
import { findMembership, requiresSso } from './homes.js';
import { loginResult, type LoginResult } from './login-result.js';
import { clientOf, type AuthParts } from './parts.js';
import { isAdmitted } from './reach.js';
import type { LiveSession } from './sessions.js';

export const switchBody = z
  .strictObject({ tenant_id: z.string().min(1).max(128).describe('Id of the tenant.') })
  .describe('The tenant to act in from now on.');

const SECOND_FACTOR_MISSING = 'That tenant asks for a second factor: set one up (POST /api/v1/users/me/mfa) or sign in with it';

/** What lets a user act in a tenant: a membership, and for the operator's staff the customer's approval. */
interface Reach {
  membership: MembershipRow;
  support: SupportAccessRow | null;
}

/**
 * Puts a session in another tenant in the place of the caller's: one that the caller is a member of, one of the caller's organization
 * for an org_admin (decision 16), or one that has approved a support access of the caller's (decision 15), which the session ends with.
 * @throws PalisadeError NOT_FOUND, alike for a foreign tenant and for none; FORBIDDEN when role or policy there ask for a second factor
 *   that the session has not shown, and when nobody
 *   who is trusted there vouches for the caller
 */
export async function switchTenant(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  parse: () => z.infer<typeof switchBody>,
): Promise<LoginResult> {
  const live = await authenticateSession(parts, request);
  const { user } = live;
  const { tenant_id } = parse();
  const tenant = await parts.database.tenant(tenant_id).collection(tenants).findOne({});
  const reach = tenant && (await findReach(parts, live, tenant));
  if (!tenant || !reach) throw notFound('Tenant');
  const { role } = reach.membership;
  // the customer's approval stands in for their identity provider
  if (!reach.support) await assertVouchedFor(parts, live, tenant);
  if (!hasShownEnough(live.session, role, tenant)) throw forbidden(SECOND_FACTOR_MISSING);

  const next = await parts.database.transaction((transaction) => move(parts, request, live, tenant, reach, transaction));
  setSessionCookie(request, reply, await parts.tokens.issue({ session_id: next._id, user_id: user._id, tenant_id }), parts.publicUrl);
  return loginResult(user, tenant, role);
}

async function move(
  parts: AuthParts,
  request: FastifyRequest,
  live: LiveSession,
  to: TenantRow,
  { membership, support }: Reach,
  transaction: TransactionOf,
): Promise<SessionRow> {
  const { session, user, tenant: from } = live;
  const { tenant_id } = to;
  const now = parts.clock.now();
  const changes = {
    tenant_id,
    membership_id: membership._id,
    support_access_id: support?._id ?? null,
    ...(support?.expires_at && { ends_at: new Date(Math.min(session.ends_at.getTime(), support.expires_at.getTime())) }),
    ...clientOf(request),
  };
  if (support) await enter(parts, support, now, transaction);
  const made = await parts.sessions.replace(session, changes, transaction, to);
  const members = parts.database.tenant(tenant_id).collection(memberships);
  await members.update({ _id: membership._id }, { $set: { last_login_at: now } }, { transaction });
  const entry: AuditInput = {
    action: 'user.switch_tenant',
    actor_email: user.email,
    target: `user:${user._id}`,
    ip_address: request.ip,
    result: 'success',
  };
  // Neither tenant's log names the other one.
  await parts.audit.append(transaction, from.tenant_id, now, [{ ...entry, ...supportOf(live) }]);
  const arrival: AuditInput = support
    ? { ...entry, action: 'support.enter', target: `support_access:${support._id}`, ...supportOf({ ...live, support }) }
    : entry;
  if (support || tenant_id !== from.tenant_id) await parts.audit.append(transaction, tenant_id, now, [arrival]);
  return made;
}

/** Notes that staff came in. @throws PalisadeError NOT_FOUND when the customer has ended the access this very moment */
async function enter(parts: AuthParts, support: SupportAccessRow, now: Date, transaction: TransactionOf): Promise<void> {
  const rows = parts.database.tenant(support.tenant_id).collection(supportAccesses);
  const entered_at = support.entered_at ?? now;
  const { matched } = await rows.update({ _id: support._id, ended_at: null }, { $set: { entered_at } }, { transaction });
  if (matched === 0) throw notFound('Tenant');
}

/** What lets the caller act in `tenant`: the membership in it, an org_admin's of the same organization, or an approved support access. */
async function findReach(parts: AuthParts, { user, membership, role }: LiveSession, tenant: TenantRow): Promise<Reach | null> {
  const reaching = await findMembership(parts, user, tenant);
  if (reaching) return { membership: reaching, support: null };
  if (role !== 'platform_admin') return null;
  const now = parts.clock.now();
  const approved = await parts.database
    .tenant(tenant.tenant_id)
    .collection(supportAccesses)
    .find({ staff_user_id: user._id, ended_at: null, expires_at: { $gt: now } }, { sort: { expires_at: -1 } });
  const support = approved.find((access) => isAdmitted(access, tenant, membership, user, now));
  return support ? { membership, support } : null;
}

/**
 * An identity provider vouches for people in its tenant. Beyond it, in other tenants of the organization, it does where an org_admin has set
 * it up: a tenant_admin's provider could name anybody.
 * @throws PalisadeError FORBIDDEN, also without a provider's word where `to` requires single sign-on
 */
async function assertVouchedFor(parts: AuthParts, { session, user, tenant: from }: LiveSession, to: TenantRow): Promise<void> {
  const { sso_tenant_id } = session;
  if (sso_tenant_id === to.tenant_id) return;
  if (sso_tenant_id === null) {
    if (requiresSso(to, user)) throw forbidden('This tenant is entered through its identity provider');
    return;
  }
  if (to.organization_id !== from.organization_id || !(await isOrganizationsProvider(parts.database, sso_tenant_id)))
    throw forbidden('The identity provider that you signed in through vouches for its own tenant only');
}
