import type { FastifyReply, FastifyRequest } from 'fastify';
import { users } from '../accounts/records.js';
import { cookieAttributes } from './cookie.js';
import type { AuthParts } from './parts.js';
import { passwordVersion } from './passwords/version.js';
import { REMEMBRANCE_LIFE, type Remembrance } from './device-tokens.js';

const NAME = 'known_device';
/** Accounts that one browser is remembered for; the one signed in to last comes first. */
const MOST = 3;
const BETWEEN = '~';

/** Where cookies are Secure, no neighbouring host can plant one of this prefix (RFC 6265bis, 4.1.3.2). */
const nameOf = (attributes: string): string => (attributes.endsWith('Secure') ? `__Host-${NAME}` : NAME);

/** The remembrances that a browser shows, each with its token. */
async function shownBy(
  parts: Pick<AuthParts, 'devices' | 'publicUrl'>,
  request: FastifyRequest,
): Promise<{ token: string; remembrance: Remembrance }[]> {
  const name = `${nameOf(cookieAttributes(request, parts.publicUrl))}=`;
  const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const tokens = cookies.filter((pair) => pair.startsWith(name)).flatMap((pair) => pair.slice(name.length).split(BETWEEN));
  const read = await Promise.all(tokens.slice(0, MOST).map(async (token) => ({ token, remembrance: await parts.devices.read(token) })));
  return read.flatMap(({ token, remembrance }) => (remembrance === null ? [] : [{ token, remembrance }]));
}

/** The device that asks, if it has signed in to the account of `email` before, with the password that the account still has; else null. */
export async function findKnownDevice(
  parts: Pick<AuthParts, 'database' | 'devices' | 'publicUrl'>,
  request: FastifyRequest,
  email: string,
): Promise<string | null> {
  for (const { remembrance } of await shownBy(parts, request)) {
    const user = await parts.database.system(users).findOne({ _id: remembrance.sub });
    if (user?.email === email && user.state === 'active' && passwordVersion(user) === remembrance.version) return remembrance.jti;
  }
  return null;
}

/** Makes the browser keep a remembrance that `issue` has made, beside those of other accounts. */
export async function rememberDevice(
  parts: Pick<AuthParts, 'devices' | 'publicUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  made: string,
): Promise<void> {
  const own = await parts.devices.read(made);
  const others = (await shownBy(parts, request)).filter(({ remembrance }) => remembrance.sub !== own?.sub);
  const tokens = [made, ...others.map(({ token }) => token)].slice(0, MOST);
  const attributes = cookieAttributes(request, parts.publicUrl);
  void reply.header('set-cookie', `${nameOf(attributes)}=${tokens.join(BETWEEN)}; Max-Age=${REMEMBRANCE_LIFE}; ${attributes}`);
}
