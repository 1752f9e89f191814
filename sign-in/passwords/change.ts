import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conflict, invalid } from '../../kit/base/errors.js';
import { users } from '../../accounts/records.js';
import { authenticateSession } from '../authenticate.js';
import { clientOf, type AuthParts } from '../parts.js';
import { setSignInCookies } from '../sign-in-cookies.js';
import { isPasswordOf, ownPasswordOf } from './check.js';
import { newPassword } from './new-password.js';
import { replacePassword } from './replace.js';

export const changeBody = z
  .strictObject({
    current_password: z.string().min(1).max(1_024).meta({ format: 'password', description: 'The present password.' }),
    password: newPassword,
  })
  .describe('Changes the own password.');

/**
 * Changes the caller's own password. All sessions of the caller end; this one goes on under a new cookie.
 * @throws PalisadeError UNAUTHENTICATED; VALIDATION_ERROR for a wrong present password, for accounts without one, and for a new one that
 *   breaks the rules; RATE_LIMITED after too many wrong ones
 */
export async function changePassword(
  parts: AuthParts,
  request: FastifyRequest,
  reply: FastifyReply,
  parse: () => z.infer<typeof changeBody>,
): Promise<void> {
  const { session, user: caller, tenant } = await authenticateSession(parts, request);
  const body = parse();
  const client = clientOf(request);
  const user = await parts.database.system(users).findOne({ _id: caller._id });
  if (!user || !(await isPasswordOf(parts, client, user, body.current_password, ownPasswordOf(user))))
    throw invalid([{ path: 'current_password', message: 'is not your password' }]);
  const change = { action: 'user.password_change', password: body.password } as const;
  const next = await replacePassword(parts, client, user, change, async (transaction) => {
    const made = await parts.sessions.replace(session, { ...client, authenticated_at: parts.clock.now() }, transaction, tenant);
    await parts.sessions.endAll(user._id, transaction, made._id);
    return made;
  });
  if (!next) throw conflict('The password has changed meanwhile');
  const token = await parts.tokens.issue({ session_id: next._id, user_id: user._id, tenant_id: next.tenant_id });
  // remembrances end with the password that they were made under; this device has just shown the new one
  const changed = next.sso_tenant_id === null ? await parts.database.system(users).findOne({ _id: user._id }) : null;
  await setSignInCookies(parts, reply, { token, remembrance: changed && (await parts.devices.issue(changed)) });
}
