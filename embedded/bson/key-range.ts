import { KIND, kindOf, NUMBER } from './kind.js';

/** A key with every byte inverted: the same value as a descending component. */
export function invertedKey(key: string): string {
  const bytes = Buffer.from(key, 'latin1');
  for (let i = 0; i < bytes.length; i++) bytes[i] = bytes[i]! ^ 255;
  return bytes.toString('latin1', 0, bytes.length);
}

/** The keys below and above every value that compares with values of this type; numbers start after NaN. */
export function bracketOf(type: number): { low: string; high: string } {
  const kind = kindOf(type);
  const low = String.fromCharCode(kind);
  return { low: kind === KIND.number ? low + String.fromCharCode(NUMBER.negative) : low, high: String.fromCharCode(kind + 1) };
}

/** Three-way comparison of keys. */
export function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The least key above every key that starts with this prefix. */
export function afterPrefix(prefix: string): string {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 255) end--;
  return end === 0 ? '\u0100' : prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1);
}
