import type { FastifyRequest } from 'fastify';
import { permissionsOf, SUPPORT_PERMISSIONS, type Permission } from '../schema/permissions.js';
import type { AuthContext, SupportIdentity } from '../kit/base/auth-context.js';
import { PalisadeError } from '../kit/base/errors.js';
import { identitiesOf } from '../accounts/support-access.js';
import { readSessionCookie } from './cookie.js';
import { assertSameOrigin } from './csrf.js';
import type { AuthParts } from './parts.js';
import { proofOf } from './reauthentication.js';
import type { LiveSession } from './sessions.js';

/**
 * The live session of a call: the cookie's signature and times, then the store's present word, in one round trip.
 * @throws PalisadeError UNAUTHENTICATED; FORBIDDEN when another site sent an unsafe call
 */
export async function authenticateSession(parts: AuthParts, request: FastifyRequest): Promise<LiveSession> {
  const claims = await parts.tokens.read(readSessionCookie(request));
  const live = await parts.sessions.resume(claims);
  assertSameOrigin(request, parts.publicUrl);
  await parts.sessions.touch(live);
  return live;
}

/** Both identities of a session under a support access, for every audit entry. */
export const supportOf = ({ support }: LiveSession): { support?: SupportIdentity } => (support ? { support: identitiesOf(support) } : {});

/** The live session of a call, or null: for what may be done with and without one. */
export async function findSession(parts: AuthParts, request: FastifyRequest): Promise<LiveSession | null> {
  try {
    return await parts.sessions.resume(await parts.tokens.read(readSessionCookie(request)));
  } catch (error) {
    if (error instanceof PalisadeError && error.code === 'UNAUTHENTICATED') return null;
    throw error;
  }
}

/** What a session may do in its tenant; under a support access that is less than its role says. */
export const permissionsIn = ({ role, support }: LiveSession): readonly Permission[] =>
  support ? SUPPORT_PERMISSIONS : permissionsOf(role);

/** What the engines receive of a session's call. */
export function contextOf(live: LiveSession, request: FastifyRequest, now: Date): AuthContext {
  const { session, user, tenant, role } = live;
  return {
    tenant_id: tenant.tenant_id,
    organization_id: tenant.organization_id,
    plan: tenant.plan,
    user_id: user._id,
    email: user.email,
    name: user.name,
    session_id: session._id,
    role,
    permissions: permissionsIn(live),
    request_id: request.id,
    ip_address: request.ip,
    ...supportOf(live),
    ...proofOf(live, now),
  };
}
