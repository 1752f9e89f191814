import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What secret scanners look for: `psk_`, twelve hex digits that name the key, 32 random bytes in base64url. */
export const API_KEY_FORM = /^psk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;

/** A key as it is shown once, the prefix that names it, and what is kept of its secret. */
export interface NewKeyText {
  readonly text: string;
  readonly prefix: string;
  readonly secret_hash: string;
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');

/** Makes a key of 256 random bits. */
export function makeKeyText(): NewKeyText {
  const prefix = randomBytes(6).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { text: `psk_${prefix}_${secret}`, prefix, secret_hash: hashOf(secret) };
}

/** The parts of a key's text; null for anything else. */
export function readKeyText(text: string): { prefix: string; secret: string } | null {
  const [, prefix, secret] = API_KEY_FORM.exec(text) ?? [];
  return prefix === undefined || secret === undefined ? null : { prefix, secret };
}

/** Whether a secret is the one that `secret_hash` was made of, in a time that tells nothing of it. */
export const isSecretOf = (secret: string, secret_hash: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(secret_hash));
