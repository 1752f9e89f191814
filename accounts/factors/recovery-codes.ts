import { createHmac, randomBytes } from 'node:crypto';
import type { FormerMasterKey, MasterKey } from '../../kit/keys/master-key.js';

const COUNT = 10;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LENGTH = 10;

/** The code as it is stored: nothing in the store alone tells whether a guess is right. */
export function recoveryHash(masterKey: Pick<FormerMasterKey, 'derive'>, userId: string, code: string): string {
  return createHmac('sha256', masterKey.derive('recovery-codes'))
    .update(JSON.stringify([userId, code]))
    .digest('base64url');
}

/** The code as it may be stored: under the present master key or one before it. */
export const recoveryHashes = (masterKey: MasterKey, userId: string, code: string): string[] =>
  [masterKey, ...masterKey.former].map((key) => recoveryHash(key, userId, code));

/** Ten new codes of 50 bits, as people read them (`abcde-fghij`) and as they are stored. */
export function newRecoveryCodes(masterKey: MasterKey, userId: string): { codes: string[]; hashes: string[] } {
  const raw = Array.from({ length: COUNT }, () => Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]!).join(''));
  return {
    codes: raw.map((code) => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`),
    hashes: raw.map((code) => recoveryHash(masterKey, userId, code)),
  };
}

/** What somebody has typed as a recovery code; null when it cannot be one. */
export function readRecoveryCode(text: string): string | null {
  const code = text.toLowerCase().replace(/[\s-]/g, '');
  return /^[a-z2-7]{10}$/.test(code) ? code : null;
}
