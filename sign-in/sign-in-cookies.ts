import type { FastifyReply } from 'fastify';
import { setSessionCookie } from './cookie.js';
import type { SignInOutcome } from './finish-sign-in.js';
import type { AuthParts } from './parts.js';
import { rememberDevice } from './remembered-device.js';

/** Sets what a complete sign-in leaves in the browser: the session first, then the remembrance of the device. Nothing where a step is missing. */
export async function setSignInCookies(
  parts: Pick<AuthParts, 'devices' | 'publicUrl'>,
  reply: FastifyReply,
  { token, remembrance }: Pick<SignInOutcome, 'token' | 'remembrance'>,
): Promise<void> {
  if (token !== null) setSessionCookie(reply.request, reply, token, parts.publicUrl);
  if (remembrance !== null) await rememberDevice(parts, reply.request, reply, remembrance);
}
