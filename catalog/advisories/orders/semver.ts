import { compareNumbers } from './numbers.js';

/** With a `v` in front as Go writes it; the parts of the number that are left out are 0. */
const VERSION = /^[v=\s]*(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?\s*$/;
const NUMBER = /^\d+$/;

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
  const [ours, theirs] = [VERSION.exec(one), VERSION.exec(other)];
  if (!ours || !theirs) return null;
  for (const part of [1, 2, 3]) {
    const by = compareNumbers(ours[part] ?? '0', theirs[part] ?? '0');
    if (by !== 0) return by;
  }
  return comparePrereleases(ours[4], theirs[4]);
}
