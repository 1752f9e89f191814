import { createHash } from 'node:crypto';

/**
 * Tells different results of one identity apart within a report: gives `''` for the first and for its exact repetitions,
 * `#2`, `#3` ... for others, in the order of the report. Scanners report in a stable order, so the numbers are stable too.
 */
export class Occurrences {
  /** How many different results an identity has. */
  private readonly counts = new Map<number, number>();
  private readonly numbers = new Map<number, number>();

  /** Whether a result of this identity was met. */
  has(identity: string): boolean {
    return this.counts.has(quickHash(identity));
  }

  /** `identity` is what the finding id is made of; `content` what tells two results apart. */
  suffix(identity: string, content: string): string {
    const key = quickHash(identity);
    const whole = quickHash(content, key);
    let number = this.numbers.get(whole);
    if (number === undefined) {
      number = (this.counts.get(key) ?? 0) + 1;
      this.counts.set(key, number);
      this.numbers.set(whole, number);
    }
    return number === 1 ? '' : `#${number}`;
  }
}

/** The first 16 hex digits of SHA-256: short enough for a discriminator. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** 53 bits, fast, for tables in memory only (cyrb53, public domain). */
function quickHash(text: string, seed = 0): number {
  let a = 0xdeadbeef ^ (seed | 0);
  let b = 0x41c6ce57 ^ ((seed / 4294967296) | 0);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
