import { CompactSign, compactVerify } from 'jose';
import { z } from 'zod';
import { unauthenticated } from '../base/errors.js';
import type { KeyRing } from './key-ring.js';

/** Longest token that is looked at, in characters; more is refused before it is decoded. */
const LONGEST = 8_192;
const SHAPE = /^[A-Za-z0-9_-]{1,400}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}$/;

/** Three members and no other: `jwk`, `jku`, `x5u` and `crit` have no place, so nothing of a token chooses its key or its algorithm. */
const headerSchema = z.strictObject({ alg: z.literal('EdDSA'), typ: z.string(), kid: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/) });

/** Signs `payload` with the ring's active key: a compact JWS (RFC 7515) with EdDSA (RFC 8037) and the purpose's own `typ`. */
export async function signJws(ring: KeyRing, typ: string, payload: Readonly<Record<string, unknown>>): Promise<string> {
  const { kid, key } = await ring.signingKey();
  return new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ alg: 'EdDSA', kid, typ }).sign(key);
}

/**
 * The payload of a token that a key of `ring` has signed for the purpose `typ`. Times are for the caller to check.
 * @throws PalisadeError UNAUTHENTICATED for everything else, whatever is wrong with it
 */
export async function verifyJws<T>(ring: KeyRing, typ: string, token: unknown, payloadSchema: z.ZodType<T>): Promise<T> {
  if (typeof token !== 'string' || token.length > LONGEST || !SHAPE.test(token)) throw unauthenticated();
  const header = headerSchema.safeParse(parseJson(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url')));
  if (!header.success || header.data.typ !== typ) throw unauthenticated();
  const key = await ring.verificationKey(header.data.kid);
  if (key === null) throw unauthenticated();
  const verified = await compactVerify(token, key, { algorithms: ['EdDSA'] }).catch(() => {
    throw unauthenticated();
  });
  const payload = payloadSchema.safeParse(parseJson(verified.payload));
  if (!payload.success) throw unauthenticated();
  return payload.data;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}
