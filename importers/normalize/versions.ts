/** The numbers of a version, `1:2.3.4-5` being 1, 2, 3, 4, 5; words such as `beta` count as less than any number. */
const parts = (version: string): (number | string)[] =>
  version
    .replace(/^v(?=\d)/i, '')
    .split(/[.:+~_-]|(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)/i)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part.toLowerCase()));

/** Orders versions as most ecosystems do: good enough to find the nearest fix, not to judge whether a version is affected. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [parts(one), parts(other)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [a = 0, b = 0] = [left[i], right[i]];
    if (a === b) continue;
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a !== typeof b) return typeof a === 'number' ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return 0;
}

/** The versions behind the installed one, the nearest first; all of them where none is. */
export function laterVersions(installed: string | undefined, versions: readonly string[]): string[] {
  const sorted = [...new Set(versions)].sort(compareVersions);
  const later = installed === undefined ? [] : sorted.filter((version) => compareVersions(version, installed) > 0);
  return later.length > 0 ? later : sorted;
}
