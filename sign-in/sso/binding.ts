import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieAttributes } from '../cookie.js';

const NAME = 'sign_in_browser';
/** Where cookies are Secure, browsers take one of this prefix from this host alone: no neighbouring host can plant it (RFC 6265bis, 4.1.3.2). */
const nameOf = (request: FastifyRequest, publicUrl: string | undefined): string =>
  cookieAttributes(request, publicUrl).endsWith('Secure') ? `__Host-${NAME}` : NAME;
const VALUE = /^[A-Za-z0-9_-]{43}$/;
/** Seconds that a sign-in at an identity provider may take. */
export const SIGN_IN_TIME = 600;

const digest = (value: string): string => createHash('sha256').update(value).digest('base64url');

/** The value that the browser holds; null without one, or with several of the name. */
function browserOf(request: FastifyRequest, publicUrl: string | undefined): string | null {
  const name = nameOf(request, publicUrl);
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && VALUE.test(values[0]!) ? values[0]! : null;
}

/**
 * Ties a sign-in that leaves for an identity provider to the browser that began it, so that its answer can sign in no other one (login CSRF).
 * A browser keeps its value while several sign-ins are under way in it.
 * @returns what to keep with the sign-in, for `isBoundTo`
 */
export function bindBrowser(request: FastifyRequest, reply: FastifyReply, publicUrl: string | undefined): string {
  const value = browserOf(request, publicUrl) ?? randomBytes(32).toString('base64url');
  void reply.header(
    'set-cookie',
    `${nameOf(request, publicUrl)}=${value}; Max-Age=${SIGN_IN_TIME}; ${cookieAttributes(request, publicUrl)}`,
  );
  return digest(value);
}

/** Whether a request comes from the browser that `bindBrowser` has tied `binding` to. */
export function isBoundTo(request: FastifyRequest, binding: string, publicUrl: string | undefined): boolean {
  const value = browserOf(request, publicUrl);
  return value !== null && digest(value) === binding;
}
