import { compareNumbers } from './numbers.js';
import { compareSemver } from './semver.js';

const VERSION = /^\s*v?(\d+(?:\.\d+){0,3})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?\s*$/;

/** The order of NuGet: up to four numbers, and pre-releases as Semantic Versioning has them, in any case of letters. */
export function compareNuGet(one: string, other: string): number | null {
  const [ours, theirs] = [VERSION.exec(one), VERSION.exec(other)];
  if (!ours || !theirs) return null;
  const [numbers, otherNumbers] = [ours[1]!.split('.'), theirs[1]!.split('.')];
  for (let n = 0; n < 4; n++) {
    const by = compareNumbers(numbers[n] ?? '0', otherNumbers[n] ?? '0');
    if (by !== 0) return by;
  }
  const behind = (prerelease: string | undefined) => (prerelease === undefined ? '1' : `1-${prerelease.toLowerCase()}`);
  return compareSemver(behind(ours[2]), behind(theirs[2]));
}
