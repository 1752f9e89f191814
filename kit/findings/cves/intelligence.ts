import { defineSystemCollection, type RowOf } from '../../store/collection.js';
import type { Database } from '../../store/database.js';
import { nullable, number, object } from '../../store/fields.js';
import type { RiskContext } from '../../engine/risk-context.js';
import { riskScore, severityRank, vulnerabilitySeverity } from '../risk-score.js';
import type { FindingRow } from '../row.js';

/** What the catalog of known exploited vulnerabilities tells of a CVE; days are `YYYY-MM-DD`. */
export interface KnownExploitation {
  readonly vendor: string | null;
  readonly product: string | null;
  readonly name: string | null;
  readonly added_on: string | null;
  readonly due_on: string | null;
  readonly ransomware: boolean | null;
  readonly required_action: string | null;
}

/** What feeds tell of CVEs, the same for all tenants, who read it and never write it; `_id` is the CVE. */
export const cveIntelligence = defineSystemCollection(
  'cve_intelligence',
  {
    epss: nullable(number),
    epss_percentile: nullable(number),
    /** Null where the catalog does not name it. */
    kev: nullable(object<KnownExploitation>()),
  },
  [{ key: { 'kev.added_on': 1 }, options: { partialFilterExpression: { 'kev.added_on': { $exists: true } } } }],
);
export type CveIntelligence = RowOf<typeof cveIntelligence>;

/** What feeds tell of these CVEs; those that they do not name are left out. */
export async function intelligenceOf(database: Database, cves: readonly (string | null)[]): Promise<Map<string, CveIntelligence>> {
  const ids = [...new Set(cves.flatMap((cve) => cve ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await database.system(cveIntelligence).find({ _id: { $in: ids } });
  return new Map(rows.map((row) => [row._id, row]));
}

/** What scores of findings follow from, in one word: another one where other scores follow. */
export const scoredBy = (known: Pick<CveIntelligence, 'epss' | 'kev'> | undefined): string =>
  known ? `${known.epss ?? ''}|${known.kev ? 1 : 0}` : '|0';

/** What of a vulnerability feeds have a say in. */
export type Scored = Pick<FindingRow, 'epss' | 'known_exploited' | 'severity' | 'severity_rank' | 'risk_score'>;

/**
 * A vulnerability's scores (decision 21) by what its report tells and what feeds know: the feed's exploit prediction goes before the report's, and
 * it is known to be exploited where either says so.
 * @param context of its resource; absent where the inventory does not know it
 */
export function scoresOf(
  { reported, cvss }: Pick<FindingRow, 'reported' | 'cvss'>,
  known: CveIntelligence | undefined,
  context?: RiskContext,
): Scored | null {
  if (!reported) return null;
  const epss = known?.epss ?? reported.epss;
  const known_exploited = known?.kev ? true : reported.known_exploited;
  const severity = vulnerabilitySeverity({ severity: reported.severity, cvss, epss, known_exploited });
  const risk_score = riskScore({ severity, epss, known_exploited }, context);
  return { epss, known_exploited, severity, severity_rank: severityRank(severity), risk_score };
}

/** Vulnerabilities that are reported, with the scores that follow from what feeds know. */
export async function withScores<Reported extends { readonly content: Pick<FindingRow, 'cve' | 'cvss' | 'reported'> }>(
  database: Database,
  observations: readonly Reported[],
): Promise<readonly Reported[]> {
  const known = await intelligenceOf(
    database,
    observations.map(({ content }) => content.cve),
  );
  if (known.size === 0) return observations;
  return observations.map((one) => ({ ...one, content: { ...one.content, ...scoresOf(one.content, known.get(one.content.cve ?? '')) } }));
}
