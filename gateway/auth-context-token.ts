import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { authContextSchema, type AuthContext } from '../kit/base/auth-context.js';
import { systemClock, type Clock } from '../kit/base/clock.js';
import { unauthenticated } from '../kit/base/errors.js';
import type { KeyRing } from '../kit/keys/key-ring.js';
import { signJws, verifyJws } from '../kit/keys/strict-jws.js';

/** The header in which the gateway tells an engine who calls (specification, Authentication 5). */
export const AUTH_CONTEXT_HEADER = 'x-auth-context';

/** Seconds that a token lives, and by which the clocks of two machines may differ. */
const LIFE = 30;
const SKEW = 5;
const TYPE = 'palisade-context+jws';
const ISSUER = 'palisade-gateway';

/** The one call that a token is good for. */
export interface ContextClaims {
  readonly engine: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | Uint8Array;
}

export interface ContextSigner {
  sign(auth: AuthContext, claims: ContextClaims): Promise<string>;
}

export interface ContextVerifier {
  /** @throws PalisadeError UNAUTHENTICATED for a token that is forged, expired, of another call, or was shown before */
  verify(token: string | undefined, expected: ContextClaims): Promise<AuthContext>;
}

const payloadSchema = z.strictObject({
  iss: z.literal(ISSUER),
  aud: z.string(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string().min(20).max(64),
  method: z.string(),
  path: z.string(),
  body: z.string(),
  auth: authContextSchema,
});

const digest = (body: string | Uint8Array) => createHash('sha256').update(body).digest('base64url');

/** Signs X-Auth-Context: an EdDSA JWS of 30 seconds for one engine, method, path and body (decision 26). */
export function createContextSigner(ring: KeyRing, clock: Clock = systemClock): ContextSigner {
  return {
    sign: (auth, { engine, method, path, body }) => {
      const iat = Math.floor(clock.now().getTime() / 1000);
      const jti = randomBytes(16).toString('base64url');
      return signJws(ring, TYPE, {
        iss: ISSUER,
        aud: `engine:${engine}`,
        iat,
        exp: iat + LIFE,
        jti,
        method,
        path,
        body: digest(body),
        auth,
      });
    },
  };
}

/** Remembers which tokens were shown. */
export interface ReplayGuard {
  /** Whether `jti` is seen for the first time; it is remembered until `until` (Unix seconds). */
  claim(jti: string, until: number, now: number): boolean;
}

/**
 * The memory of one process. A token that was shown to one process of an engine is unknown to the others, so within its 30 seconds it
 * can be shown once to each: whoever can read traffic between gateway and engines must be kept out by the network.
 * @param capacity most tokens remembered; when full, calls are refused rather than let through unchecked
 */
export function createReplayGuard(capacity = 1_000_000): ReplayGuard {
  const seen = new Map<string, number>();
  return {
    claim(jti, until, now) {
      // Insertion order is nearly the order of expiry, so the dead ones stand in front.
      for (const [known, end] of seen) {
        if (end >= now) break;
        seen.delete(known);
      }
      if (seen.has(jti) || seen.size >= capacity) return false;
      seen.set(jti, until);
      return true;
    },
  };
}

/** Verifies X-Auth-Context on the engine's side; a token is good for the one call it names, once. */
export function createContextVerifier(
  ring: KeyRing,
  clock: Clock = systemClock,
  replays: ReplayGuard = createReplayGuard(),
): ContextVerifier {
  return {
    async verify(token, expected) {
      const payload = await verifyJws(ring, TYPE, token, payloadSchema);
      const now = Math.floor(clock.now().getTime() / 1000);
      const timely = payload.iat <= now + SKEW && now < payload.exp && payload.exp - payload.iat <= LIFE;
      const meant =
        payload.aud === `engine:${expected.engine}` &&
        payload.method === expected.method &&
        payload.path === expected.path &&
        payload.body === digest(expected.body);
      if (!timely || !meant || !replays.claim(payload.jti, payload.exp, now)) throw unauthenticated('The call carries no valid context');
      return payload.auth;
    },
  };
}
