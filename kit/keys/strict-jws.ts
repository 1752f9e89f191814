import { sign, verify } from 'node:crypto';
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
  const signed = [{ alg: 'EdDSA', kid, typ }, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  // here and now: handing so little to another thread costs more than doing it
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

/**
 * The payload of a token that a key of `ring` has signed for the purpose `typ`. Times are for the caller to check.
 * @throws PalisadeError UNAUTHENTICATED for everything else, whatever is wrong with it
 */
export async function verifyJws<T>(ring: KeyRing, typ: string, token: unknown, payloadSchema: z.ZodType<T>): Promise<T> {
  if (typeof token !== 'string' || token.length > LONGEST || !SHAPE.test(token)) throw unauthenticated();
  const [head, body, signature] = token.split('.') as [string, string, string];
  const header = headerSchema.safeParse(parseJson(head));
  if (!header.success || header.data.typ !== typ) throw unauthenticated();
  const key = await ring.verificationKey(header.data.kid);
  // the key's own algorithm is what verifies: a ring of other keys makes and takes no tokens
  if (key?.asymmetricKeyType !== 'ed25519') throw unauthenticated();
  if (!verify(null, Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))) throw unauthenticated();
  const payload = payloadSchema.safeParse(parseJson(body));
  if (!payload.success) throw unauthenticated();
  return payload.data;
}

/** The value of a part of a token; null when it is no JSON. */
function parseJson(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
