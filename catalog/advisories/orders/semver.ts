import { compareNumbers } from './numbers.js';

/** With a `v` in front as Go writes it; the parts of the number that are left out are 0. */
const VERSION = /^[v=\s]*(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?\s*$/;
const NUMBER = /^\d+$/;

/** Versions that were read last, because one is held against many: at most so many, of so many characters. */
const MOST = 10_000;
const LONGEST = 40;
const read = new Map<string, RegExpExecArray | null>();

function partsOf(version: string): RegExpExecArray | null {
  const known = read.get(version);
  if (known !== undefined) return known;
  const parts = VERSION.exec(version);
  if (version.length > LONGEST) return parts;
  if (read.size >= MOST) read.clear();
  read.set(version, parts);
  return parts;
}

function comparePrereleases(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0;
  // a release comes behind its pre-releases
  if (one === undefined) return 1;
  if (other === undefined) return -1;
  const [ours, theirs] = [one.split('.'), other.split('.')];
  for (let n = 0; n < Math.min(ours.length, theirs.length); n++) {
    const [a, b] = [ours[n]!, theirs[n]!];
    if (a === b) continue;
    const [isNumber, isOtherNumber] = [NUMBER.test(a), NUMBER.test(b)];
    if (isNumber && isOtherNumber) {
      const by = compareNumbers(a, b);
      if (by !== 0) return by;
    } else if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    else return a < b ? -1 : 1;
  }
  return ours.length - theirs.length;
}

/** The order of Semantic Versioning 2.0.0 (section 11), by which npm, crates.io, Go, Hex, Pub and Swift go: what is built has no say. */
export function compareSemver(one: string, other: string): number | null {
  const [ours, theirs] = [partsOf(one), partsOf(other)];
  if (!ours || !theirs) return null;
  for (const part of [1, 2, 3]) {
    const by = compareNumbers(ours[part] ?? '0', theirs[part] ?? '0');
    if (by !== 0) return by;
  }
  return comparePrereleases(ours[4], theirs[4]);
}
