import type { CheckedAsset } from '../../catalog/check-file.js';
import type { Evaluation, Verdict } from '../../catalog/evaluate.js';
import { evidenceOf, messageOf, type Evidence } from '../../catalog/evidence.js';
import { reportedOf, severityOf, type Reported } from '../../catalog/standing.js';
import { textsOf, type FilledTexts } from '../../catalog/texts.js';
import type { Family, Rule } from '../../catalog/types.js';
import type { Severity } from '../../schema/model.js';

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

export interface CheckReport {
  files: { file: string; format: string; resources: number; broken: { position: string; reason: string }[] }[];
  results: CheckResult[];
  counts: Record<Verdict, number>;
  /** Failures that are left out, because others stand for them. */
  implied?: number;
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
export function resultOf(file: string, { asset, subject }: CheckedAsset, evaluation: Evaluation, family: Family): CheckResult {
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
    file,
    ...(asset.source.line === undefined ? {} : { line: asset.source.line }),
    provider: asset.provider,
    resource_uid: asset.resource_uid,
    region: asset.region,
    account_id: asset.account_id,
    evidence,
    texts,
  };
}
