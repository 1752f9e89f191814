import type { Readable } from 'node:stream';
import type { Provider, Severity } from '../schema/model.js';

/**
 * What an importer reads: bytes that can be read more than once (a staged upload, a file), already decompressed.
 */
export interface ReportSource {
  /** Opens the report from its first byte; each call starts a new, independent read. */
  open(): Readable;
  /** Length in bytes where known; for progress only. */
  readonly size?: number;
  /** The name the file had, where known; a hint for messages and for artifact names, never for trust. */
  readonly filename?: string;
}

/** What the caller says of a report (decision 33); an importer uses it where the report itself is silent. */
export interface ImportOptions {
  account_id?: string;
  region?: string;
  /** The scanned thing where the report does not name it: a repository, an image, a directory. */
  artifact?: string;
}

/** A step of a remediation, in order. */
export interface RemediationStep {
  action: string;
  detail?: string;
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
  remediation?: { guidance?: string; steps?: RemediationStep[] };
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
  /** Vulnerability facts, for severity and risk (decision 21). `cvss` is the base score 0–10; `epss` 0–1. */
  cvss?: number;
  epss?: number;
  known_exploited?: boolean;
  remediation?: { guidance?: string; steps?: RemediationStep[] };
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

/** What an importer yields, in the order of the report. */
export type ImportItem =
  | { kind: 'observation'; observation: Observation }
  | { kind: 'rule'; rule: RuleInput }
  | { kind: 'asset'; asset: AssetInput }
  | { kind: 'edge'; edge: EdgeInput }
  /** One record of the report was taken in (whatever it yielded): exactly one a record, for the run's `counts.records`. */
  | { kind: 'record' }
  /** One record could not be read: exactly one a broken record; the others go on. */
  | { kind: 'broken'; position: string; reason: string }
  /** The report ends early or is damaged past this point: what was read stands, the run can only be PARTIAL. */
  | { kind: 'truncated'; position: string; reason: string };

/** One supported report format. */
export interface Importer {
  /** The name used in `?format=`: `ocsf`, `asff`, `sarif`, `trivy`, `grype`, `terraform_plan`, `terraform_state`, `tfstate`, `kubernetes`. */
  readonly format: string;
  readonly title: string;
  /** The engines the format feeds. */
  readonly engines: readonly string[];
  /** How the format is recognised, one sentence for the import-formats endpoint. */
  readonly detection: string;
  /**
   * Whether `head`, the first bytes of a report (up to DETECT_BYTES, text decoded), is of this format. Must not claim a
   * report of another format; must answer for a report cut at any byte.
   */
  detect(head: string): boolean;
  /** Reads the report. Throws NotOfFormat only when it is not of the format at all; everything smaller is an item. */
  read(source: ReportSource, options: ImportOptions): AsyncIterable<ImportItem>;
}

/** How much of a report `detect` is shown. */
export const DETECT_BYTES = 262_144;

/** The report is not of the format at all (422). The message says what was expected and what was found. */
export class NotOfFormat extends Error {
  override readonly name = 'NotOfFormat';
}
