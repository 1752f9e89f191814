import { z } from 'zod';
import type { Clock } from '../kit/base/clock.js';
import { unauthenticated } from '../kit/base/errors.js';
import type { KeyRing } from '../kit/keys/key-ring.js';
import { BoundedCache } from '../kit/base/bounded-cache.js';
import { signJws, verifyJws } from '../kit/keys/strict-jws.js';
import { ABSOLUTE, sessionEnded } from './session-end.js';

/**
 * Seconds that the cookie's token lives: as long as a session may at most. Idleness is the row's to end, so that a client that keeps its
 * first cookie works on (decision 22).
 */
export const TOKEN_LIFE = ABSOLUTE / 1000;

const TYPE = 'palisade-session+jws';
const ISSUER = 'palisade';
const AUDIENCE = 'palisade-session';
/** Seconds by which the clocks of two gateways may differ. */
const SKEW = 5;

/** Signatures that a process need not check again, and for how many seconds: a browser shows the same token with every call. */
const REMEMBERED = 10_000;
const REMEMBERED_FOR = 60;

/** It points to a session row and names its tenant; it says nothing of role or rights. */
const payloadSchema = z.strictObject({
  iss: z.literal(ISSUER),
  aud: z.literal(AUDIENCE),
  sid: z.string().min(20).max(64),
  sub: z.string().min(1),
  tenant_id: z.string().min(1),
  iat: z.int(),
  exp: z.int(),
});

export interface SessionClaims {
  session_id: string;
  user_id: string;
  tenant_id: string;
}

export interface SessionTokens {
  issue(claims: SessionClaims): Promise<string>;
  /**
   * What a token says.
   * @throws PalisadeError UNAUTHENTICATED; that a session has ended is reported only to a caller whose token we have signed
   */
  read(token: string): Promise<SessionClaims>;
}

/** Tokens of the cookie `access_token`: EdDSA JWS of 12 hours. */
export function createSessionTokens(ring: KeyRing, clock: Clock): SessionTokens {
  const seconds = () => Math.floor(clock.now().getTime() / 1000);
  const genuine = new BoundedCache<{ payload: z.infer<typeof payloadSchema>; until: number }>(REMEMBERED);

  const payloadOf = async (token: string, now: number) => {
    const known = genuine.get(token);
    if (known && now < known.until) return known.payload;
    const payload = await verifyJws(ring, TYPE, token, payloadSchema);
    return genuine.set(token, { payload, until: now + REMEMBERED_FOR }).payload;
  };

  return {
    issue({ session_id, user_id, tenant_id }) {
      const iat = seconds();
      return signJws(ring, TYPE, { iss: ISSUER, aud: AUDIENCE, sid: session_id, sub: user_id, tenant_id, iat, exp: iat + TOKEN_LIFE });
    },
    async read(token) {
      const now = seconds();
      const { sid, sub, tenant_id, iat, exp } = await payloadOf(token, now);
      if (iat > now + SKEW || exp - iat > TOKEN_LIFE) throw unauthenticated();
      if (now >= exp) throw sessionEnded();
      return { session_id: sid, user_id: sub, tenant_id };
    },
  };
}
