import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../kit/base/clock.js';
import { PalisadeError } from '../kit/base/errors.js';
import type { KeyRing } from '../kit/keys/key-ring.js';
import { signJws, verifyJws } from '../kit/keys/strict-jws.js';
import { users, type UserRow } from '../accounts/records.js';
import { cookieAttributes } from './cookie.js';
import type { AuthParts } from './parts.js';
import { passwordVersion } from './passwords/version.js';

/** Seconds that a remembrance lives (decision 55). */
export const REMEMBRANCE_LIFE = 90 * 86_400;

const NAME = 'known_device';
/** Accounts that one browser is remembered for; the one signed in to last comes first. */
const MOST = 3;
const BETWEEN = '~';
const TYPE = 'palisade-device+jws';
/** Seconds by which the clocks of two gateways may differ. */
const SKEW = 5;

const payloadSchema = z.strictObject({
  /** The device, by a name that nobody can guess. */
  jti: z.string().min(16).max(64),
  sub: z.string().min(1),
  /** The password that it has signed in with (`passwordVersion`). */
  version: z.string().min(1),
  iat: z.int(),
  exp: z.int(),
});
type Remembrance = z.infer<typeof payloadSchema>;

/**
 * Signed remembrances of devices that have signed in to an account. One of them is worth a count of its own when passwords are wrong, and
 * nothing else: it stands in for no password and no second factor.
 */
export interface RememberedDevices {
  issue(user: Pick<UserRow, '_id' | 'password_hash'>): Promise<string>;
  /** What a token says; null for one that is not ours, or whose time is over. */
  read(token: string): Promise<Remembrance | null>;
}

export function createRememberedDevices(ring: KeyRing, clock: Clock): RememberedDevices {
  const seconds = () => Math.floor(clock.now().getTime() / 1000);
  return {
    issue(user) {
      const iat = seconds();
      const jti = randomBytes(16).toString('base64url');
      return signJws(ring, TYPE, { jti, sub: user._id, version: passwordVersion(user), iat, exp: iat + REMEMBRANCE_LIFE });
    },
    async read(token) {
      const payload = await verifyJws(ring, TYPE, token, payloadSchema).catch((error: unknown) => {
        if (error instanceof PalisadeError) return null;
        throw error;
      });
      return payload !== null && payload.iat <= seconds() + SKEW && seconds() < payload.exp ? payload : null;
    },
  };
}

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
