import { compareNumbers } from './numbers.js';

/** `[epoch:]version[-release]`. */
const VERSION = /^\s*(?:(\d+):)?([^\s-]+)(?:-([^\s]+))?\s*$/;
const SEGMENT = /\d+|[A-Za-z]+|[~^]/g;

/** rpmvercmp: segments of digits and of letters; `~` is before the end, `^` behind it and before all else. */
function compareParts(one: string, other: string): number {
  const [ours, theirs] = [one.match(SEGMENT) ?? [], other.match(SEGMENT) ?? []];
  for (let n = 0; n < Math.max(ours.length, theirs.length); n++) {
    const [a, b] = [ours[n], theirs[n]];
    if (a === b) continue;
    if (a === '~' || b === '~') return a === '~' ? -1 : 1;
    if (a === '^' || b === '^') {
      if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
      return a === '^' ? -1 : 1;
    }
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    const [isNumber, isOtherNumber] = [/^\d/.test(a), /^\d/.test(b)];
    if (isNumber !== isOtherNumber) return isNumber ? 1 : -1;
    const by = isNumber ? compareNumbers(a, b) : a < b ? -1 : 1;
    if (by !== 0) return by;
  }
  return 0;
}

/** The order of rpm, by which Red Hat, Rocky, Alma, SUSE and Amazon Linux go. A release that one side leaves out has no say. */
export function compareRpm(one: string, other: string): number | null {
  const [ours, theirs] = [VERSION.exec(one), VERSION.exec(other)];
  if (!ours || !theirs) return null;
  const by = compareNumbers(ours[1] ?? '0', theirs[1] ?? '0') || compareParts(ours[2]!, theirs[2]!);
  return by !== 0 || ours[3] === undefined || theirs[3] === undefined ? by : compareParts(ours[3], theirs[3]);
}
