import type { CheckedAsset } from '../../catalog/check-file.js';
import type { Evaluation, Verdict } from '../../catalog/evaluate.js';
import { evidenceOf, messageOf, type Evidence } from '../../catalog/evidence.js';
import { textsOf, type FilledTexts } from '../../catalog/texts.js';
import type { Family } from '../../catalog/types.js';
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
}

export interface CheckReport {
  files: { file: string; format: string; resources: number; broken: { position: string; reason: string }[] }[];
  results: CheckResult[];
  counts: Record<Verdict, number>;
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
    message: messageOf(evaluation, evidence, texts.title),
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
