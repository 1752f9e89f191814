import { compareNumbers } from './numbers.js';

/** `1.2.3b_rc1_p2-r4`, as apk has it. */
const VERSION = /^\s*(\d+(?:\.\d+)*)([a-z]?)((?:_[a-z]+\d*)*)(?:-r(\d+))?\s*$/;
/** Suffixes in their order; those before the empty one come before the release. */
const SUFFIXES = ['alpha', 'beta', 'pre', 'rc', '', 'cvs', 'svn', 'git', 'hg', 'p'];

const suffixesOf = (text: string): (readonly [rank: number, number: string])[] =>
  [...text.matchAll(/_([a-z]+)(\d*)/g)].map(([, name, number]) => [SUFFIXES.indexOf(name!), number || '0']);

/** The order of apk, by which Alpine, Chainguard and Wolfi go. */
export function compareAlpine(one: string, other: string): number | null {
  const [ours, theirs] = [VERSION.exec(one), VERSION.exec(other)];
  if (!ours || !theirs) return null;
  const [numbers, otherNumbers] = [ours[1]!.split('.'), theirs[1]!.split('.')];
  for (let n = 0; n < Math.max(numbers.length, otherNumbers.length); n++) {
    const [a, b] = [numbers[n], otherNumbers[n]];
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    const by = compareNumbers(a, b);
    if (by !== 0) return by;
  }
  if (ours[2] !== theirs[2]) return ours[2]! < theirs[2]! ? -1 : 1;
  const [suffixes, otherSuffixes] = [suffixesOf(ours[3]!), suffixesOf(theirs[3]!)];
  const none = [SUFFIXES.indexOf(''), '0'] as const;
  for (let n = 0; n < Math.max(suffixes.length, otherSuffixes.length); n++) {
    const [a, b] = [suffixes[n] ?? none, otherSuffixes[n] ?? none];
    const by = a[0] - b[0] || compareNumbers(a[1], b[1]);
    if (by !== 0) return by;
  }
  return compareNumbers(ours[4] ?? '0', theirs[4] ?? '0');
}
