/** One event of a range, as OSV writes it: from here on a package is affected, or not any more. */
export interface RangeEvent {
  /** `fixed` and `limit`: versions from this one on are not affected; `last_affected`: those behind it. */
  readonly kind: 'introduced' | 'fixed' | 'last_affected' | 'limit';
  /** A version; `0` of `introduced` is before all versions, `*` of `limit` behind all. */
  readonly version: string;
}

/** Versions between events (OSV schema, `affected[].ranges[]`). Those of commits tell nothing of versions, and are left out. */
export interface AffectedRange {
  readonly type: 'SEMVER' | 'ECOSYSTEM';
  readonly events: readonly RangeEvent[];
}

/** Which versions of one package an advisory is about (OSV schema, `affected[]`). */
export interface AffectedPackage {
  /** As OSV names it, with the release where it has one: `npm`, `PyPI`, `Debian:12`. */
  readonly ecosystem: string;
  readonly name: string;
  readonly ranges: readonly AffectedRange[];
  /** Versions that are affected, whatever the ranges say. */
  readonly versions: readonly string[];
}

/** What of an advisory matching needs. */
export interface Advisory {
  readonly id: string;
  readonly affected: readonly AffectedPackage[];
}

/** A package with its version, as a bill of materials names it. */
export interface Component {
  readonly ecosystem: string;
  readonly name: string;
  readonly version: string;
}

/** An advisory that is about a component, and the versions that fix it, the lowest first. */
export interface AdvisoryMatch<A extends Advisory = Advisory> {
  readonly advisory: A;
  readonly fixedVersions: readonly string[];
}

/** Compares two versions: below 0 when the first is the lower. Null where one of them is no version of its ecosystem. */
export type VersionOrder = (one: string, other: string) => number | null;
