import { orderOf } from './ecosystems.js';
import { compareSemver } from './orders/semver.js';
import type { AffectedPackage, RangeEvent, VersionOrder } from './types.js';

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

/** Which versions of a package an advisory is about, made ready to be asked of many versions. */
export interface PreparedPackage {
  readonly versions: ReadonlySet<string>;
  readonly ranges: readonly { readonly order: VersionOrder; readonly events: readonly RangeEvent[] }[];
}

/** Makes a package ready: ranges whose versions have no order here are left out, events stand in their order. */
export function prepare({ ecosystem, ranges, versions }: AffectedPackage): PreparedPackage {
  return {
    versions: new Set(versions),
    ranges: ranges.flatMap(({ type, events }) => {
      const order = type === 'SEMVER' ? compareSemver : orderOf(ecosystem);
      return order ? [{ order, events: inOrder(events, order) }] : [];
    }),
  };
}

function isInRange(version: string, { order, events }: PreparedPackage['ranges'][number]): boolean {
  let isIn = false;
  for (const event of events) {
    const reached = isReached(version, event, order);
    // what is no version of the ecosystem is in no range
    if (reached === null) return false;
    if (!reached) break;
    isIn = event.kind === 'introduced';
  }
  return isIn;
}

/** Whether a version of a package is affected (OSV schema, "Evaluation"): it is listed, or lies in a range. */
export const isAffected = (version: string, { versions, ranges }: PreparedPackage): boolean =>
  versions.has(version) || ranges.some((range) => isInRange(version, range));

/** The versions that fix an affected one: those of its ranges that come behind it, range by range, the lowest first. */
export function fixedVersionsFor(version: string, { ranges }: PreparedPackage): string[] {
  const fixes = ranges.flatMap(({ order, events }) =>
    events.flatMap((event) => (event.kind === 'fixed' && (order(event.version, version) ?? 0) > 0 ? [event.version] : [])),
  );
  return [...new Set(fixes)];
}
