import type { ResourceIdentity } from '../../schema/model.js';

/** Results of posture rules, as `palisade check` prints them too. */
export const RULE_VERDICTS = ['PASS', 'FAIL', 'NOT_APPLICABLE', 'NOT_EVALUATED'] as const;
export type RuleVerdict = (typeof RULE_VERDICTS)[number];

/** `source` of findings that the evaluation of posture rules raises: scanners' runs never close them, and theirs are never closed by it. */
export const EVALUATION_SOURCE = 'palisade';

/** The engines that hold findings of posture rules: a rule of the catalog, or a tenant's own, names one of them. */
export const POSTURE_ENGINES = [
  'check',
  'iam',
  'datasec',
  'dbsec',
  'encryption',
  'network-security',
  'container-security',
  'ai-security',
] as const;

/** One rule on one resource; `reason` where it could not be evaluated. */
export interface RuleVerdictEntry {
  rule_id: string;
  result: RuleVerdict;
  reason?: string;
}

/** What the rules said of one resource when it was last evaluated. */
export interface ResourceResults extends ResourceIdentity {
  /** What the run that evaluated it was told that it covers. */
  artifact: string | null;
  results: RuleVerdictEntry[];
}

/** Part of the estate that a run covers; null matches what has none, no region any. */
export type ResultScope =
  (Pick<ResourceResults, 'account_id' | 'artifact'> & { region?: string }) | { readonly resource_uid: { readonly $in: readonly string[] } };
