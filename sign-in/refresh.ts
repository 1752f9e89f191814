import type { FastifyReply, FastifyRequest } from 'fastify';
import { readSessionCookie, setSessionCookie } from './cookie.js';
import { assertSameOrigin } from './csrf.js';
import { loginResult, type LoginResult } from './login-result.js';
import { clientOf, type AuthParts } from './parts.js';

/**
 * Puts a new session in the place of the caller's, with role and membership as they are now and the same absolute end.
 * @throws PalisadeError UNAUTHENTICATED
 */
export async function refresh(parts: AuthParts, request: FastifyRequest, reply: FastifyReply): Promise<LoginResult> {
  const claims = await parts.tokens.read(readSessionCookie(request));
  const { session, user, tenant, role } = await parts.sessions.resume(claims);
  assertSameOrigin(request, parts.publicUrl);
  const next = await parts.database.transaction((transaction) => parts.sessions.replace(session, clientOf(request), transaction, tenant));
  const token = await parts.tokens.issue({ session_id: next._id, user_id: user._id, tenant_id: tenant.tenant_id });
  setSessionCookie(request, reply, token, parts.publicUrl);
  return loginResult(user, tenant, role);
}
