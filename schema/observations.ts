import type { Provider, Severity } from './model.js';

/** What reports say, normalized: importers make it, ingest takes it. */

/** A step of a remediation, in order. */
export interface RemediationStep {
  action: string;
  detail?: string;
}

/** How to fix a finding. */
export interface Remediation {
  guidance?: string;
  steps?: RemediationStep[];
}

/** A link given with a rule or a finding. */
export interface Reference {
  url: string;
  title?: string;
}

/** One framework control that the report itself names for a finding. */
export interface ControlReference {
  framework: string;
  control_id: string;
  control_name?: string;
}

/** The rule, check or advisory behind observations. Emitted at most once per rule_id and report, before or after its observations. */
export interface RuleInput {
  rule_id: string;
  engine: string;
  title: string;
  description?: string;
  rationale?: string;
  severity?: Severity;
  provider?: Provider;
  resource_type?: string;
  /** The scanner it comes from, e.g. `prowler`, `trivy`, `semgrep`. */
  source: string;
  remediation?: Remediation;
  references?: Reference[];
  controls?: ControlReference[];
  mitre_techniques?: string[];
  mitre_tactics?: string[];
  tags?: string[];
}

/**
 * What one report says of one resource under one rule. The same report read again gives equal observations: nothing in it
 * depends on the time of reading. `finding_id` is derived from (engine, rule_id, resource_uid, discriminator) by the store.
 */
export interface Observation {
  /**
   * The engine by taxonomy: check, container-security, secops, vulnerability, or any other engine of architecture.md
   * (iam, cdr, network-security ...). Ingest gives what has no engine yet to `check`.
   */
  engine: string;
  /** FAIL raises or confirms a finding; PASS closes it; both count for scores (decision 19). */
  result: 'FAIL' | 'PASS';
  rule_id: string;
  title: string;
  description?: string;
  severity: Severity;
  resource_uid: string;
  resource_type: string;
  resource_name?: string;
  provider: Provider;
  account_id?: string;
  region: string;
  /** Tells apart several findings of one rule on one resource (file and line fingerprint, package@version ...). Stable across scans. */
  discriminator?: string;
  /** The service or artifact of the run's scope (decision 19): `s3`, an image reference, a repository. */
  service?: string;
  artifact?: string;
  /** The scanner, where it differs from the report's format (`codeql` in a SARIF report): runs of different scanners never close each other's findings. */
  source?: string;
  /** Vulnerability facts, for severity and risk (decision 21). `cvss` is the base score 0–10; `epss` 0–1. */
  cvss?: number;
  epss?: number;
  known_exploited?: boolean;
  remediation?: Remediation;
  references?: Reference[];
  controls?: ControlReference[];
  mitre_techniques?: string[];
  mitre_tactics?: string[];
  /** The engine's evidence (`findingData`), already redacted: no secret value, no secret-material key (decision 31). */
  evidence: Record<string, unknown>;
  provider_metadata?: Record<string, unknown>;
  /** Where the record stands in the report: `findings[12]`, `runs[0].results[3]`, `line 7`. */
  position: string;
}

/** An inventory item. `resource_type` is the Terraform type name or one in its style (decision 3). */
export interface AssetInput {
  resource_uid: string;
  resource_type: string;
  resource_name?: string;
  provider: Provider;
  account_id?: string;
  region: string;
  tags?: Record<string, string>;
  /** The configuration as the source gives it, redacted; unresolved references stay `${...}`. */
  configuration: Record<string, unknown>;
  /** Attribute paths whose value the source marks sensitive or not known yet. */
  sensitive_paths?: string[];
  unknown_paths?: string[];
  /** Where it is declared: Terraform address or `kind/namespace/name`, module, file. */
  source: { format: string; address: string; file?: string; line?: number };
  provider_metadata?: Record<string, unknown>;
  position: string;
}

/** A typed edge of the asset graph, from one resource to another (`resource_uid` both). */
export interface EdgeInput {
  from: string;
  to: string;
  kind: string;
}

/**
 * What a report covers even where it found nothing: a completed run closes the findings of this scope that it did not
 * see (decision 19).
 */
export interface ScopeInput {
  engine: string;
  account_id?: string;
  artifact?: string;
  source?: string;
}
