import type { Severity } from '../../../schema/model.js';
import { defineEngineCollection, type RowOf } from '../../store/collection.js';
import { date, flag, list, nullable, number, object, text, textOf } from '../../store/fields.js';

/** A version that fixes a package, as reports name it. */
export interface Fix {
  readonly package_name: string | null;
  readonly version: string;
}

const OPEN = { tenant_id: 1, engine: 1, is_open: 1 } as const;

/**
 * The CVEs of a tenant's vulnerabilities, changed in the transaction that changes a finding: lists of CVEs are pages of it. What tells of
 * findings tells of open ones while there are any, else of all.
 */
export const findingCves = defineEngineCollection(
  'finding_cves',
  {
    cve: text,
    /** The ids under which reports name it: it may be written in small letters. */
    rule_ids: list(text),
    /** Whether any of its findings is OPEN or IN_PROGRESS. */
    is_open: flag,
    severity: textOf<Severity>(),
    severity_rank: number,
    /** The highest base score that a report has told. */
    cvss: nullable(number),
    /** What findings were told last. */
    epss: nullable(number),
    known_exploited: flag,
    fixable: flag,
    fixes: list(object<Fix>()),
    providers: list(text),
    open_findings: number,
    /** Resources with open findings. */
    affected_resources: number,
    /** Cell (severity, status, provider, whether there is a fix) -> findings; cells without any are left out. */
    counts: object<Record<string, number>>(),
    /** By what its findings were scored last, see `scoredBy`; null where reports have told something since. */
    scored_by: nullable(text),
    first_seen_at: date,
    last_seen_at: date,
  },
  [
    { key: { ...OPEN, severity_rank: -1, epss: -1, cve: 1 } },
    ...(['cvss', 'epss', 'open_findings', 'affected_resources', 'first_seen_at', 'last_seen_at'] as const).map((column) => ({
      key: { ...OPEN, [column]: -1, cve: 1 } as const,
    })),
    { key: { ...OPEN, cve: 1 } },
  ],
);
export type FindingCveRow = RowOf<typeof findingCves>;

/** The resources that have open findings of a CVE, a row each. */
export const findingCveResources = defineEngineCollection(
  'finding_cve_resources',
  {
    cve: text,
    resource_uid: text,
    /** Rank of the worst of its open findings of the CVE. */
    severity_rank: number,
    open_findings: number,
    /** Severity -> open findings. */
    counts: object<Record<string, number>>(),
  },
  [{ key: { tenant_id: 1, engine: 1, cve: 1, severity_rank: -1, resource_uid: 1 } }],
);
export type FindingCveResourceRow = RowOf<typeof findingCveResources>;
