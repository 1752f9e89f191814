import { createPublicKey, verify } from 'node:crypto';

/** The 32 bytes of a public key, and the 64 of a signature, in base64url (RFC 8037, RFC 8032). */
export const ED25519_KEY = /^[A-Za-z0-9_-]{43}$/;
export const ED25519_SIGNATURE = /^[A-Za-z0-9_-]{86}$/;

/** Whether the holder of a key has signed a text; false for what is no key or no signature. */
export function hasSigned(publicKey: string, text: string, signature: string): boolean {
  if (!ED25519_KEY.test(publicKey) || !ED25519_SIGNATURE.test(signature)) return false;
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
