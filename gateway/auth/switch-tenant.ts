import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { forbidden, notFound } from '../../subgraphs/_kit/errors.js';
import { membershipId, memberships, tenants, type MembershipRow, type TenantRow, type UserRow } from '../../subgraphs/identity/records.js';
import type { SessionRow } from '../../subgraphs/identity/session-record.js';
import { ssoSettings } from '../../subgraphs/identity/sso/records.js';
import { authenticateSession } from './authenticate.js';
import { setSessionCookie } from './cookie.js';
import { SECOND_FACTOR_MISSING } from './finish-sign-in.js';
import { requiresSso } from './homes.js';
import { loginResult, type LoginResult } from './login-result.js';
import { clientOf, type AuthParts } from './parts.js';
import { canActIn, needsSecondFactor } from './reach.js';

export const switchBody = z.strictObject({ tenant_id: z.string().min(1).max(128) });

/**
 * Puts a session in another tenant in the place of the caller's: one that the caller is a member of, or one of the caller's organization
 * for an org_admin (decision 16).
 * @throws PalisadeError NOT_FOUND, alike for a foreign tenant and for none; FORBIDDEN when the role there needs a second factor,
 *   and when nobody who is trusted there vouches for the caller
 */
export async function switchTenant(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  parse: () => z.infer<typeof switchBody>,
): Promise<LoginResult> {
  const { session, user, tenant: from } = await authenticateSession(parts, request, reply);
  const { tenant_id } = parse();
  const tenant = await parts.database.tenant(tenant_id).collection(tenants).findOne({});
  const membership = tenant && (await findReach(parts, user, tenant));
  if (!tenant || !membership) throw notFound('Tenant');
  const { role } = membership;
  await assertVouchedFor(parts, session, user, from, tenant);
  if (needsSecondFactor(role) && !session.second_factor) throw forbidden(SECOND_FACTOR_MISSING);

  const next = await parts.database.transaction(async (transaction) => {
    const made = await parts.sessions.replace(session, { tenant_id, membership_id: membership._id, ...clientOf(request) }, transaction);
    const entry = {
      action: 'user.switch_tenant',
      actor_email: user.email,
      target: `user:${user._id}`,
      ip_address: request.ip,
      result: 'success',
    } as const;
    // Neither tenant's log names the other one.
    for (const place of new Set([from.tenant_id, tenant_id])) await parts.audit.append(transaction, place, parts.clock.now(), [entry]);
    return made;
  });
  void reply.removeHeader('set-cookie');
  setSessionCookie(request, reply, await parts.tokens.issue({ session_id: next._id, user_id: user._id, tenant_id }), parts.publicUrl);
  return loginResult(user, tenant, role);
}

/**
 * An identity provider vouches for people in its tenant. Beyond it, in other tenants of the organization, it does where an org_admin has set
 * it up: a tenant_admin's provider could name anybody.
 * @throws PalisadeError FORBIDDEN, also without a provider's word where `to` requires single sign-on
 */
async function assertVouchedFor(
  parts: AuthParts,
  { sso_tenant_id }: SessionRow,
  user: UserRow,
  from: TenantRow,
  to: TenantRow,
): Promise<void> {
  if (sso_tenant_id === to.tenant_id) return;
  if (sso_tenant_id === null) {
    if (requiresSso(to, user)) throw forbidden('This tenant is entered through its identity provider');
    return;
  }
  const settings = await parts.database.tenant(sso_tenant_id).collection(ssoSettings).findOne({});
  if (to.organization_id !== from.organization_id || !settings?.set_by_org_admin)
    throw forbidden('The identity provider that you signed in through vouches for its own tenant only');
}

/** The membership that lets `user` act in `tenant`: the one in it, else an org_admin's of the same organization. */
async function findReach(parts: AuthParts, user: UserRow, tenant: TenantRow): Promise<MembershipRow | null> {
  const rows = parts.database.system(memberships);
  const own = await rows.findOne({ _id: membershipId(tenant.tenant_id, user._id) });
  if (own) return own;
  const wide = await rows.findOne({ user_id: user._id, role: 'org_admin' });
  return wide && canActIn(tenant, wide, user) ? wide : null;
}
