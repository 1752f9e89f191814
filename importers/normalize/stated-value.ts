import { isInnocent, isSecretKey, REDACTED } from '../../redaction/secret-keys.js';

/**
 * A value that a scanner of configurations found or expected, without the secret that it may be: a bare value is masked where the scanner speaks of
 * what holds secrets. A sentence says itself what it tells, and is masked with all other texts.
 * @param about what else the scanner says of the place: the name of the attribute, what was expected
 */
export function statedValue(value: string | undefined, about: readonly (string | undefined)[]): string | undefined {
  if (value === undefined || /\s/.test(value.trim()) || !/[A-Za-z]/.test(value) || isInnocent(value)) return value;
  const names = about.flatMap((text) => text?.match(/[A-Za-z_][\w-]{2,80}/g) ?? []);
  return names.some(isSecretKey) ? REDACTED : value;
}
