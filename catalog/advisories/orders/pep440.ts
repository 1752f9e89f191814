import { compareNumbers } from './numbers.js';

/** PEP 440, appendix B, with the spellings that it normalizes. */
const VERSION =
  /^\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*$/i;

const PHASES: Readonly<Record<string, number>> = { a: 1, alpha: 1, b: 2, beta: 2, c: 3, rc: 3, pre: 3, preview: 3 };
/** Where nothing is said of a phase: behind the pre-releases; before them for a release of developers alone. */
const RELEASED = 4;
const DEVELOPED = 0;

interface Parsed {
  readonly epoch: string;
  readonly release: readonly string[];
  /** Phase and number of a pre-release, `post` and `dev`; a number of -1 is before all, of Infinity behind all. */
  readonly rest: readonly number[];
  readonly local: readonly string[] | null;
}

function parse(text: string): Parsed | null {
  const found = VERSION.exec(text);
  if (!found) return null;
  const [, epoch = '0', release, phase, phaseNumber, plainPost, post, postNumber, dev, devNumber, local] = found;
  const hasPost = post !== undefined || plainPost !== undefined;
  const stage = phase !== undefined ? PHASES[phase.toLowerCase()]! : dev !== undefined && !hasPost ? DEVELOPED : RELEASED;
  return {
    epoch,
    release: release!.split('.'),
    rest: [
      stage,
      Number(phaseNumber ?? 0),
      hasPost ? Number(plainPost ?? postNumber ?? 0) : -1,
      dev === undefined ? Infinity : Number(devNumber ?? 0),
    ],
    local: local === undefined ? null : local.toLowerCase().split(/[-_.]/),
  };
}

function compareLocals(one: readonly string[] | null, other: readonly string[] | null): number {
  if (!one || !other) return (one ? 1 : 0) - (other ? 1 : 0);
  for (let n = 0; n < Math.min(one.length, other.length); n++) {
    const [a, b] = [one[n]!, other[n]!];
    if (a === b) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
    if (isNumber !== isOtherNumber) return isNumber ? 1 : -1;
    const by = isNumber ? compareNumbers(a, b) : a < b ? -1 : 1;
    if (by !== 0) return by;
  }
  return one.length - other.length;
}

/** The order of PEP 440, by which Python's packages go. */
export function comparePep440(one: string, other: string): number | null {
  const [ours, theirs] = [parse(one), parse(other)];
  if (!ours || !theirs) return null;
  const byEpoch = compareNumbers(ours.epoch, theirs.epoch);
  if (byEpoch !== 0) return byEpoch;
  for (let n = 0; n < Math.max(ours.release.length, theirs.release.length); n++) {
    const by = compareNumbers(ours.release[n] ?? '0', theirs.release[n] ?? '0');
    if (by !== 0) return by;
  }
  for (const [n, value] of ours.rest.entries()) if (value !== theirs.rest[n]) return value < theirs.rest[n]! ? -1 : 1;
  return compareLocals(ours.local, theirs.local);
}
