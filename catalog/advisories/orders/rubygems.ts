import { compareNumbers } from './numbers.js';

const VERSION = /^\s*[0-9]+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?\s*$/;

/** `Gem::Version#segments`: a hyphen is `.pre.`; zeros that end the number, and those that end the whole, say nothing. */
function segmentsOf(version: string): string[] {
  const segments =
    version
      .trim()
      .replaceAll('-', '.pre.')
      .match(/\d+|[A-Za-z]+/g) ?? [];
  const firstWord = segments.findIndex((one) => /^[A-Za-z]/.test(one));
  const numbers = withoutZeros(firstWord < 0 ? segments : segments.slice(0, firstWord));
  return firstWord < 0 ? numbers : [...numbers, ...withoutZeros(segments.slice(firstWord))];
}

function withoutZeros(segments: readonly string[]): string[] {
  const last = segments.findLastIndex((one) => !/^0+$/.test(one));
  return segments.slice(0, last + 1);
}

/** The order of RubyGems: a word is before any number. */
export function compareRubyGems(one: string, other: string): number | null {
  if (!VERSION.test(one) || !VERSION.test(other)) return null;
  const [ours, theirs] = [segmentsOf(one), segmentsOf(other)];
  for (let n = 0; n < Math.max(ours.length, theirs.length); n++) {
    const [a, b] = [ours[n] ?? '0', theirs[n] ?? '0'];
    if (a === b) continue;
    const [isNumber, isOtherNumber] = [/^\d/.test(a), /^\d/.test(b)];
    if (isNumber !== isOtherNumber) return isNumber ? 1 : -1;
    const by = isNumber ? compareNumbers(a, b) : a < b ? -1 : 1;
    if (by !== 0) return by;
  }
  return 0;
}
