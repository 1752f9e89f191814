import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../kit/base/clock.js';
import { PalisadeError } from '../kit/base/errors.js';
import type { KeyRing } from '../kit/keys/key-ring.js';
import { signJws, verifyJws } from '../kit/keys/strict-jws.js';
import type { UserRow } from '../accounts/records.js';
import { passwordVersion } from './passwords/version.js';

/** Seconds that a remembrance lives (decision 55). */
export const REMEMBRANCE_LIFE = 90 * 86_400;
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

/** What a token says of a device. */
export type Remembrance = z.infer<typeof payloadSchema>;

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
