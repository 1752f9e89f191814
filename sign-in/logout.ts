import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticateSession, supportOf } from './authenticate.js';
import { clearSessionCookie } from './cookie.js';
import type { AuthParts } from './parts.js';

/**
 * Ends the session, so that its cookie is worth nothing from now on, and clears the cookie.
 * @throws PalisadeError UNAUTHENTICATED
 */
export async function logout(parts: AuthParts, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const live = await authenticateSession(parts, request);
  const { session, user, tenant, role } = live;
  await parts.database.transaction(async (transaction) => {
    if (!(await parts.sessions.end(session._id, transaction))) return;
    await parts.audit.append(transaction, tenant.tenant_id, parts.clock.now(), [
      {
        action: 'user.logout',
        actor_email: user.email,
        target: `user:${user._id}`,
        role,
        ip_address: request.ip,
        result: 'success',
        ...supportOf(live),
      },
    ]);
  });
  clearSessionCookie(request, reply, parts.publicUrl);
}
