import type { CheckedAsset } from '../../catalog/check-file.js';
import type { Evaluation, Verdict } from '../../catalog/evaluate.js';
import { evidenceOf, messageOf, type Evidence } from '../../catalog/evidence.js';
import { reportedOf, severityOf, type Reported } from '../../catalog/standing.js';
import { textsOf, type FilledTexts } from '../../catalog/texts.js';
import type { Family, Rule } from '../../catalog/types.js';
import { SEVERITIES, type Severity } from '../../schema/model.js';
import type { InventorySource, Place, Skipped } from '../../sources/types.js';

/** One result: a rule on a resource. */
export interface CheckResult {
  rule_id: string;
  family: string;
  address: string;
  resource_type: string;
  result: Verdict;
  severity: Severity;
  message: string;
  file: string;
  line?: number;
  /** The file is source code: who reads the result goes to the line. */
  isCode: boolean;
  provider: string;
  resource_uid: string;
  region: string;
  account_id?: string | undefined;
  evidence: Evidence;
  texts: FilledTexts;
  /** The rule whose failure on the same resource stands for this one. */
  implied_by?: string;
  /** Rules whose failures on the same resource this one stands for. */
  implied?: string[];
}

/** What fails, and is left alone: a comment or an annotation says so, or it was there before. */
export interface Suppressed {
  result: CheckResult;
  kind: 'source' | 'baseline';
  reason: string;
}

/** What is left out because none of its files has changed since a commit. */
export interface Unchanged {
  since: string;
  resources: number;
  files: number;
  skipped: number;
}

export interface CheckReport {
  files: { file: string; format: string; resources: number; broken: { position: string; reason: string }[] }[];
  /** What is left out because it has not changed. */
  unchanged?: Unchanged;
  results: CheckResult[];
  counts: Record<Verdict, number>;
  /** Failures that are left out, because others stand for them. */
  implied?: number;
  /** The profile whose results these are, and what fails outside of it; absent where every rule is in it. */
  outside?: { profile: string; failures: number; rules: number };
  suppressed: Suppressed[];
  skipped: Skipped[];
  /** Folders were searched, in which things are passed over. */
  isSearch: boolean;
}

/** The failures of a resource that are reported, and by each rule whose failure is not, the one that stands for it. */
export class Standing {
  private readonly reported: ReadonlyMap<string, Reported<Rule>>;
  readonly by = new Map<string, string>();

  constructor(evaluations: readonly Evaluation[]) {
    const reported = reportedOf(evaluations.filter(({ result }) => result === 'FAIL'));
    this.reported = new Map(reported.map((one) => [one.evaluation.rule.rule_id, one]));
    for (const { evaluation, implied } of reported) for (const { rule } of implied) this.by.set(rule.rule_id, evaluation.rule.rule_id);
  }

  /** What is added to a result. @param all where what is implied is listed, too, and every rule has its own severity */
  of({ rule_id }: Rule, all: boolean): Partial<Pick<CheckResult, 'severity' | 'implied' | 'implied_by'>> {
    const [by, own] = [this.by.get(rule_id), this.reported.get(rule_id)];
    if (by !== undefined) return { implied_by: by };
    if (all || own === undefined) return {};
    const implied = own.implied.map(({ rule }) => rule.rule_id);
    return { severity: severityOf(own), ...(implied.length > 0 && { implied }) };
  }
}

/** The result of one evaluation, with its texts and evidence. */
export function resultOf(
  source: Pick<InventorySource, 'isCode'>,
  place: Place,
  { asset, subject }: CheckedAsset,
  evaluation: Evaluation,
  family: Family,
): CheckResult {
  const { rule, result } = evaluation;
  const evidence = evidenceOf(rule, subject, asset.sensitive_paths);
  const texts = textsOf(rule, family);
  return {
    rule_id: rule.rule_id,
    family: rule.family,
    address: asset.source.address,
    resource_type: asset.resource_type,
    result,
    severity: rule.severity,
    message: messageOf(evaluation, subject, texts.title, asset.sensitive_paths),
    file: place.file,
    ...(place.line === undefined ? {} : { line: place.line }),
    isCode: source.isCode,
    provider: asset.provider,
    resource_uid: asset.resource_uid,
    region: asset.region,
    account_id: asset.account_id,
    evidence,
    texts,
  };
}

export const severityRank = ({ severity }: Pick<CheckResult, 'severity'>): number => SEVERITIES.indexOf(severity);

/** What fails, by severity, worst first: `2 critical`, `5 high`. */
export function failuresBySeverity(results: readonly CheckResult[]): [severity: Severity, count: number][] {
  const counts = new Map<Severity, number>();
  for (const { result, severity } of results) if (result === 'FAIL') counts.set(severity, (counts.get(severity) ?? 0) + 1);
  return SEVERITIES.flatMap((severity) => (counts.has(severity) ? [[severity, counts.get(severity)!] as [Severity, number]] : []));
}

/** One sentence of it all. */
export function summaryOf({ results, counts, files, implied, suppressed, skipped, unchanged }: CheckReport): string {
  const resources = files.reduce((sum, file) => sum + file.resources, 0);
  const severities = failuresBySeverity(results).map(([severity, count]) => `${count} ${severity}`);
  const failed = `${counts.FAIL - (implied ?? 0)} failed${severities.length === 0 ? '' : ` (${severities.join(', ')})`}`;
  const more = (['source', 'baseline'] as const).flatMap((kind) => {
    const count = suppressed.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind === 'source' ? 'ignored' : 'in the baseline'}`];
  });
  const left = skipped.length === 0 ? [] : [`${skipped.length} skipped`];
  const following = implied ? [`${implied} more are implied (--all)`] : [];
  const same = unchanged === undefined ? [] : [`${unchanged.resources} unchanged since ${unchanged.since} left out`];
  const rest = [`${counts.PASS} passed`, `${counts.NOT_EVALUATED} not evaluated`, ...more, ...left, ...same];
  return [`${resources} resource${resources === 1 ? '' : 's'}: ${failed}`, ...following, ...rest].join(', ');
}
