import type { FastifyReply, FastifyRequest } from 'fastify';
import { unauthenticated } from '../kit/base/errors.js';

const NAME = 'access_token';
const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * The cookie's token. Two cookies of the name are refused: one of them was planted by a neighbouring host.
 * @throws PalisadeError UNAUTHENTICATED when there is none
 */
export function readSessionCookie(request: FastifyRequest): string {
  const values = sessionCookies(request);
  if (values.length !== 1) throw unauthenticated();
  return values[0]!.slice(NAME.length + 1);
}

const sessionCookies = (request: FastifyRequest): string[] =>
  (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`));

export const hasSessionCookie = (request: FastifyRequest): boolean => sessionCookies(request).length > 0;

/** Sets the cookie as decision 22 says: host-only (no Domain), HttpOnly, SameSite=Lax, Path=/, Secure except on plain-http localhost. */
export function setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string, publicUrl?: string): void {
  void reply.header('set-cookie', `${NAME}=${token}; ${cookieAttributes(request, publicUrl)}`);
}

/** Makes the browser forget the cookie. */
export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, publicUrl?: string): void {
  void reply.header('set-cookie', `${NAME}=; Max-Age=0; ${cookieAttributes(request, publicUrl)}`);
}

/** Whether a host with its port, as a request names it, is this machine itself. */
export const isLocal = (host: string): boolean => LOCAL.test(host);

/** What every cookie of ours carries beside its value and age. */
export function cookieAttributes(request: FastifyRequest, publicUrl: string | undefined): string {
  const address = publicUrl === undefined ? null : new URL(publicUrl);
  const secure = (address?.protocol ?? `${request.protocol}:`) === 'https:' || !isLocal(address?.host ?? request.host ?? '');
  return `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
