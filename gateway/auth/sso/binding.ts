import { createHash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieAttributes } from '../cookie.js';

const NAME = 'sign_in_browser';
const VALUE = /^[A-Za-z0-9_-]{43}$/;
/** Seconds that a sign-in at an identity provider may take. */
export const SIGN_IN_TIME = 600;

const digest = (value: string): string => createHash('sha256').update(value).digest('base64url');

/** The value that the browser holds; null without one, or with several of the name. */
function browserOf(request: FastifyRequest): string | null {
  const values = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  return values.length === 1 && VALUE.test(values[0]!) ? values[0]! : null;
}

/**
 * Ties a sign-in that leaves for an identity provider to the browser that began it, so that its answer can sign in no other one (login CSRF).
 * A browser keeps its value while several sign-ins are under way in it.
 * @returns what to keep with the sign-in, for `isBoundTo`
 */
export function bindBrowser(request: FastifyRequest, reply: FastifyReply, publicUrl: string | undefined): string {
  const value = browserOf(request) ?? randomBytes(32).toString('base64url');
  void reply.header('set-cookie', `${NAME}=${value}; Max-Age=${SIGN_IN_TIME}; ${cookieAttributes(request, publicUrl)}`);
  return digest(value);
}

/** Whether a request comes from the browser that `bindBrowser` has tied `binding` to. */
export function isBoundTo(request: FastifyRequest, binding: string): boolean {
  const value = browserOf(request);
  return value !== null && digest(value) === binding;
}
