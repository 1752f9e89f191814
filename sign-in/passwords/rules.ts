import { readFileSync } from 'node:fs';
import { invalid } from '../../kit/base/errors.js';

/**
 * Characters of a password, after NFC. NIST SP 800-63B-4 asks for 8 beside a second factor and 15 without one; which of the two an account will
 * have is not known when its password is chosen, so 12, together with the list of common ones. The longest bounds the work of hashing.
 */
export const PASSWORD_LENGTH = { least: 12, most: 128 } as const;

/** What is left when a common or personal word is taken away must have this many characters to count as a password of its own. */
const LEAST_BESIDE_WORD = 8;
/** Parts of an address shorter than this stand in too many words. */
const SHORTEST_CONTEXT = 4;
const DIFFERENT = 5;
const LONGEST_REPEATED = 8;
const PRODUCT = 'palisade';
const RUNS = [
  '1234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
]
  .map((row) => row.repeat(Math.ceil(PASSWORD_LENGTH.most / row.length)))
  .flatMap((run) => [run, [...run].reverse().join('')]);
const REPEATED = new RegExp(`^(.{1,${LONGEST_REPEATED}}?)\\1+$`, 'su');

/** Passwords and words that lists of leaked passwords have in their front rows, in lower case. */
const COMMON: ReadonlySet<string> = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((word) => word !== ''),
);

/**
 * The password as it is hashed and compared: composed characters (NFC), so that the same text typed on two systems is the same password.
 */
export const normalizePassword = (password: string): string => password.normalize('NFC');

/** What is wrong with a new password (NIST SP 800-63B-4, 3.1.1.2), or null. There are no rules of composition, and nothing is cut off. */
export function passwordFault(password: string, email: string): string | null {
  const text = normalizePassword(password);
  const characters = [...text];
  if (characters.length < PASSWORD_LENGTH.least) return `must have at least ${PASSWORD_LENGTH.least} characters`;
  if (characters.length > PASSWORD_LENGTH.most) return `must have at most ${PASSWORD_LENGTH.most} characters`;
  const lower = text.toLowerCase();
  if (new Set(lower).size < DIFFERENT || REPEATED.test(lower) || RUNS.some((run) => run.includes(lower)))
    return 'is a pattern that is guessed first';
  if (isCommon(lower)) return 'is among the passwords that are guessed first';
  if (contextOf(email).some((word) => lower.includes(word) && lower.replaceAll(word, '').length < LEAST_BESIDE_WORD))
    return 'is made of your address or the name of this product';
  return null;
}

/** A listed password, also with digits and signs around it. */
function isCommon(lower: string): boolean {
  if (COMMON.has(lower)) return true;
  const bare = lower.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return COMMON.has(bare) && lower.length - bare.length < LEAST_BESIDE_WORD;
}

/** Words that say who or where somebody is: the address's local part and its pieces, its domain's name, the product's. */
function contextOf(email: string): string[] {
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  const words = [PRODUCT, local, ...local.split(/[._+-]/), ...domain.split('.').slice(0, -1)];
  return words.filter((word) => word.length >= SHORTEST_CONTEXT);
}

/** @throws PalisadeError VALIDATION_ERROR that says what is wrong with a new password, and nothing of it */
export function assertGoodPassword(password: string, email: string): void {
  const fault = passwordFault(password, email);
  if (fault !== null) throw invalid([{ path: 'password', message: fault }], `The password ${fault}`);
}
