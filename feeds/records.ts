import type { AffectedPackage } from '../catalog/advisories/types.js';
import { defineCollection, defineSystemCollection, type RowOf } from '../kit/store/collection.js';
import { date, list, nullable, number, object, optional, text, textOf } from '../kit/store/fields.js';
import { DUE_FIELDS, DUE_INDEX } from '../kit/work/due.js';
import type { Severity } from '../schema/model.js';

/** What is known of each feed; `_id` is its kind. */
export const feedStates = defineSystemCollection('feed_states', {
  /** The version or day that the loaded copy tells of itself. */
  version: nullable(text),
  /** What the loaded copy holds. */
  records: number,
  /** When the last good copy was loaded; null while there is none. */
  loaded_at: nullable(date),
  /** When it was last fetched, or found unchanged, or failed to be; null where nobody has tried. */
  checked_at: nullable(date),
  /** What the server called the copy that was fetched last. */
  etag: nullable(text),
  /** Why the last try failed; null after one that did not. */
  error: nullable(text),
  /** Of advisories: how often some of them have been changed. */
  changes: optional(number),
});
export type FeedState = RowOf<typeof feedStates>;

/** Advisories about packages, the same for all tenants, who read them and never write them; `_id` is the advisory's own id. */
export const advisories = defineSystemCollection(
  'advisories',
  {
    modified: text,
    summary: nullable(text),
    /** The CVEs that it is about. */
    cves: list(text),
    /** What findings by it are called: the CVE where it has one. */
    rule_ids: list(text),
    /** Its other names. */
    aliases: list(text),
    /** How bad its publisher calls it, where it says so in words. */
    severity: nullable(textOf<Severity>()),
    cvss: nullable(number),
    /** What packages are looked up by (`packageKey`). */
    packages: list(text),
    affected: list(object<AffectedPackage>()),
    /** The packages that it is about now, or was before it was changed. */
    ever_packages: list(text),
    /** When it was changed last (`advisoryChange`): those that were changed since are read in this order. */
    change: text,
  },
  [{ key: { packages: 1 } }, { key: { cves: 1, _id: 1 } }, { key: { change: 1 } }],
);
export type AdvisoryRow = RowOf<typeof advisories>;

/** An advisory as a file tells it. */
export type ToldAdvisory = Omit<AdvisoryRow, 'ever_packages' | 'change'>;

/** What is worked off in the background each time that feeds tell something else. */
const ASKED_FIELDS = {
  ...DUE_FIELDS,
  /** Grows with each time that it is asked for. */
  revision: number,
};

/** That a tenant's vulnerabilities are to be scored anew, because feeds tell something else; `_id` is the tenant's. */
export const vulnerabilityRescores = defineCollection(
  'vulnerability_rescores',
  {
    ...ASKED_FIELDS,
    /** The CVE up to which it is done; empty at the beginning. */
    position: text,
  },
  [{ key: { tenant_id: 1 } }, DUE_INDEX],
);
export type VulnerabilityRescoreRow = RowOf<typeof vulnerabilityRescores>;

/** How far a tenant's components have been held against the advisories that have changed since they came; `_id` is the tenant's. */
export const componentMatches = defineCollection(
  'component_matches',
  {
    ...ASKED_FIELDS,
    /** The change (`advisoryChange`) up to which it is done. */
    position: text,
  },
  [{ key: { tenant_id: 1 } }, DUE_INDEX],
);
export type ComponentMatchRow = RowOf<typeof componentMatches>;
