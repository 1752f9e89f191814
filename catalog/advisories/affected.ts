import { orderOf } from './ecosystems.js';
import { compareSemver } from './orders/semver.js';
import type { AffectedPackage, AffectedRange, RangeEvent, VersionOrder } from './types.js';

const FIRST = '0';
const LAST = '*';

/** Whether `version` stands at or behind the event's; null where that cannot be told. */
function isReached(version: string, event: RangeEvent, order: VersionOrder): boolean | null {
  if (event.kind === 'introduced' && event.version === FIRST) return true;
  if (event.version === LAST) return false;
  const by = order(version, event.version);
  if (by === null) return null;
  return event.kind === 'last_affected' ? by > 0 : by >= 0;
}

/** Events in the order of their versions; of one version that which ends a range comes first. */
function inOrder(events: readonly RangeEvent[], order: VersionOrder): RangeEvent[] {
  const isFirst = ({ kind, version }: RangeEvent) => kind === 'introduced' && version === FIRST;
  return events.toSorted((one, other) => {
    if (isFirst(one) || isFirst(other)) return Number(isFirst(other)) - Number(isFirst(one));
    if (one.version === LAST || other.version === LAST) return Number(one.version === LAST) - Number(other.version === LAST);
    const by = order(one.version, other.version) ?? 0;
    return by !== 0 ? by : Number(one.kind === 'introduced') - Number(other.kind === 'introduced');
  });
}

function isInRange(version: string, { events }: AffectedRange, order: VersionOrder): boolean {
  let isIn = false;
  for (const event of inOrder(events, order)) {
    const reached = isReached(version, event, order);
    // what is no version of the ecosystem is in no range
    if (reached === null) return false;
    if (reached) isIn = event.kind === 'introduced';
  }
  return isIn;
}

/** Whether a version of a package is affected (OSV schema, "Evaluation"): it is listed, or lies in a range. */
export function isAffected(version: string, { ecosystem, ranges, versions }: AffectedPackage): boolean {
  if (versions.includes(version)) return true;
  const order = orderOf(ecosystem);
  return ranges.some((range) => {
    const by = range.type === 'SEMVER' ? compareSemver : order;
    return by !== undefined && isInRange(version, range, by);
  });
}

/** The versions that fix an affected one: those of its ranges that come behind it, the lowest first. */
export function fixedVersionsFor(version: string, { ecosystem, ranges }: AffectedPackage): string[] {
  const fixes = ranges.flatMap(({ type, events }) => {
    const order = type === 'SEMVER' ? compareSemver : orderOf(ecosystem);
    if (!order) return [];
    return events
      .filter((event) => event.kind === 'fixed' && (order(event.version, version) ?? 0) > 0)
      .map((event) => event.version)
      .toSorted((one, other) => order(one, other) ?? 0);
  });
  return [...new Set(fixes)];
}
