import { createHash } from 'node:crypto';

/** The members in which a scanner of secrets writes what it found. */
const SHOWN = new Set([
  'snippet',
  'Secret',
  'Match',
  'Raw',
  'RawV2',
  'offender',
  'secret',
  'match',
  'line',
  'raw_source_code_extract',
  'stringsFound',
]);
/** Shorter texts stand in words that are no secrets. */
export const LONG_ENOUGH = 8;

/** The secrets of a report: texts of those members, as they are and line by line. */
export function secretsOf(value: unknown, isShown = false): string[] {
  if (typeof value === 'string') return isShown ? [value, ...value.split(/[\r\n]+/)].map((text) => text.trim()) : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => secretsOf(member, isShown || SHOWN.has(key)));
}

export const documentsOf = (text: string): unknown[] => {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }
};

/** A secret in the forms in which it could be tried or read. */
export const formsOf = (secret: string): string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret, 'base64').toString('utf8'),
  ...['md5', 'sha1', 'sha256'].map((name) => createHash(name).update(secret).digest('hex').slice(0, 12)),
];
