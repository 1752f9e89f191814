import { compareNumbers } from './numbers.js';

/** PHP's `version_compare`: words in their order; an unknown one is before `dev`, a number stands where `#` does. */
const WORDS: readonly (readonly string[])[] = [['dev'], ['alpha', 'a'], ['beta', 'b'], ['rc', 'c'], ['#'], ['pl', 'p', 'patch']];
const rankOf = (part: string): number => WORDS.findIndex((words) => words.includes(/^\d/.test(part) ? '#' : part));

const partsOf = (version: string): string[] =>
  version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .replace(/\+.*$/, '')
    // a branch is not ordered among versions: its name is left to what is listed
    .match(/\d+|[a-z]+/g) ?? [];

/** A part that is not there: before what follows a release, behind what comes before it. */
const compareWithNone = (part: string): number => (/^\d/.test(part) ? (/^0+$/.test(part) ? 0 : 1) : rankOf(part) > rankOf('0') ? 1 : -1);

/** The order of Composer, by which Packagist goes. Null for branches (`dev-main`). */
export function comparePackagist(one: string, other: string): number | null {
  const [ours, theirs] = [partsOf(one), partsOf(other)];
  if (!/^\d/.test(ours[0] ?? '') || !/^\d/.test(theirs[0] ?? '')) return null;
  for (let n = 0; n < Math.max(ours.length, theirs.length); n++) {
    const [a, b] = [ours[n], theirs[n]];
    if (a === b) continue;
    const by =
      a === undefined
        ? -compareWithNone(b!)
        : b === undefined
          ? compareWithNone(a)
          : /^\d/.test(a) && /^\d/.test(b)
            ? compareNumbers(a, b)
            : rankOf(a) - rankOf(b);
    if (by !== 0) return by;
  }
  return 0;
}
