import { z } from 'zod';
import { content, nonEmpty } from './report-values.js';
import { OBSERVABLE_KINDS } from './observables.js';
import { ACTOR_KINDS, EVENT_OUTCOMES, PROVIDERS, SEVERITIES, type EdgeKind, type Provider } from './model.js';

/** What reports say, normalized: importers make it, ingest takes it. What importers build of foreign records is checked by these schemas. */

/** A step of a remediation, in order. */
export const remediationStepSchema = z.strictObject({ action: nonEmpty, detail: z.string().optional() });
export type RemediationStep = z.infer<typeof remediationStepSchema>;

/** How to fix a finding: in plain words, in the Markdown that the tool writes, in steps. */
export const remediationSchema = z.strictObject({
  guidance: z.string().optional(),
  markdown: z.string().optional(),
  steps: z.array(remediationStepSchema).optional(),
});
export type Remediation = z.infer<typeof remediationSchema>;

/** A link given with a rule or a finding. */
export const referenceSchema = z.strictObject({ url: nonEmpty, title: z.string().optional() });
export type Reference = z.infer<typeof referenceSchema>;

/** One framework control that the report itself names for a finding. */
export const controlReferenceSchema = z.strictObject({ framework: nonEmpty, control_id: nonEmpty, control_name: z.string().optional() });
export type ControlReference = z.infer<typeof controlReferenceSchema>;

/** What rules and observations share. */
const about = {
  title: nonEmpty,
  description: z.string().optional(),
  remediation: remediationSchema.optional(),
  references: z.array(referenceSchema).optional(),
  controls: z.array(controlReferenceSchema).optional(),
  mitre_techniques: z.array(nonEmpty).optional(),
  mitre_tactics: z.array(nonEmpty).optional(),
};

/** The rule, check or advisory behind observations. Emitted at most once per rule_id and report, before or after its observations. */
export const ruleSchema = z.strictObject({
  ...about,
  rule_id: nonEmpty,
  engine: nonEmpty,
  rationale: z.string().optional(),
  severity: z.enum(SEVERITIES).optional(),
  provider: z.enum(PROVIDERS).optional(),
  resource_type: nonEmpty.optional(),
  /** The scanner it comes from, e.g. `prowler`, `trivy`, `semgrep`. */
  source: nonEmpty,
  tags: z.array(nonEmpty).optional(),
});
export type RuleInput = z.infer<typeof ruleSchema>;

/**
 * What one report says of one resource under one rule. The same report read again gives equal observations: nothing in it
 * depends on the time of reading. `finding_id` is derived from (engine, rule_id, resource_uid, discriminator) by the store.
 */
export const observationSchema = z.strictObject({
  ...about,
  /**
   * The finding engine that owns it: check, iam, cdr, vulnerability ... Chosen by rule or type and never changed afterwards: the owner is
   * part of the finding's identity. An engine that is not listed is an error of the importer.
   */
  engine: nonEmpty,
  /** FAIL raises or confirms a finding; PASS closes it; both count for scores (decision 19). */
  result: z.enum(['FAIL', 'PASS']),
  rule_id: nonEmpty,
  severity: z.enum(SEVERITIES),
  resource_uid: nonEmpty,
  resource_type: nonEmpty,
  resource_name: z.string().optional(),
  provider: z.enum(PROVIDERS),
  account_id: z.string().optional(),
  region: nonEmpty,
  /** Tells apart several findings of one rule on one resource (file and line fingerprint, package@version ...). Stable across scans. */
  discriminator: z.string().optional(),
  /** The discriminator that earlier releases gave it: a finding that is stored under it keeps its id (decision 37). */
  former_discriminator: z.string().optional(),
  /** The rule that earlier releases gave it to, with `former_discriminator`. */
  former_rule_id: nonEmpty.optional(),
  /** All tools tell it apart alike (CVE and package, class and place of a secret): those that report it are sources of one finding. */
  is_shared: z.literal(true).optional(),
  /** Digests of the artifact's content, by which it is the same under another name for it: `sha256:...`. Of what is shared alone. */
  artifact_digests: z.array(nonEmpty).optional(),
  /** The service or artifact of the run's scope (decision 19): `s3`, an image reference, a repository. */
  service: z.string().optional(),
  artifact: z.string().optional(),
  /** The scanner, where it differs from the report's format (`codeql` in a SARIF report): runs of different scanners never close each other's findings. */
  source: z.string().optional(),
  /** Vulnerability facts, for severity and risk (decision 21). `cvss` is the base score 0–10; `epss` 0–1. */
  cvss: z.number().min(0).max(10).optional(),
  epss: z.number().min(0).max(1).optional(),
  known_exploited: z.boolean().optional(),
  /** The engine's evidence (`findingData`), already redacted: no secret value, no secret-material key (decision 31). */
  evidence: content,
  provider_metadata: content.optional(),
  /** Where the record stands in the report: `findings[12]`, `runs[0].results[3]`, `line 7`. */
  position: nonEmpty,
});
export type Observation = z.infer<typeof observationSchema>;

/** A right that a call took, in the words of the provider's policies, and the resource on which it took it, where the log tells that. */
export const usedRightSchema = z.strictObject({ right: nonEmpty, resource: nonEmpty.optional() });
export type UsedRight = z.infer<typeof usedRightSchema>;

/**
 * A call to a cloud, as an audit log of its provider tells it. The same log read again gives equal events; `event_id` is what the provider calls
 * one, or a digest of what it says where it calls it nothing.
 */
export const eventSchema = z.strictObject({
  event_id: nonEmpty.max(256),
  time: z.date(),
  provider: z.enum(PROVIDERS),
  account_id: nonEmpty.optional(),
  region: nonEmpty,
  /** The class of log that it stands in, which is switched on and off as a whole: `management`, `data:s3`, `sign_in`. */
  log: nonEmpty,
  /** The service and its call, in the words of the log. */
  service: nonEmpty,
  action: nonEmpty,
  outcome: z.enum(EVENT_OUTCOMES),
  /** Code or reason of what did not succeed. */
  error: nonEmpty.optional(),
  /** Who acted, as the inventory names such an identity where the log lets it be known: of a session the role behind it. */
  actor: nonEmpty,
  actor_kind: z.enum(ACTOR_KINDS),
  /** Name of the session by which the actor acted. */
  session: nonEmpty.optional(),
  /** Who became the actor through whom, the first first. */
  chain: z.array(nonEmpty).optional(),
  /** The last characters of the credential that was shown, four at most. */
  key: nonEmpty.max(4).optional(),
  source_ip: nonEmpty.optional(),
  user_agent: nonEmpty.optional(),
  request_id: nonEmpty.optional(),
  /** The resources that it names. */
  resources: z.array(nonEmpty).optional(),
  /** The rights that it took beside those that its service and action tell (`catalog/actions`). */
  rights: z.array(usedRightSchema).optional(),
  /** The whole of it as it stands in the log, redacted. */
  record: content,
  position: nonEmpty,
});
export type EventInput = z.infer<typeof eventSchema>;

/** What a provider reports of when an identity last used what: services, and single rights of them where it tells. */
export const lastAccessSchema = z.strictObject({
  resource_uid: nonEmpty.max(2_048),
  provider: z.enum(PROVIDERS),
  reported_at: z.date(),
  services: z
    .array(
      z.strictObject({
        /** As the rights of the provider's policies begin: `s3`. */
        service: nonEmpty.max(200),
        /** When anybody tried to use it by this identity; null where nobody did in all the time that the report looks back. */
        last_used_at: z.date().nullable(),
        rights: z.array(z.strictObject({ right: nonEmpty.max(200), last_used_at: z.date() })).max(1_000),
      }),
    )
    .max(1_000),
  position: nonEmpty,
});
export type LastAccessInput = z.infer<typeof lastAccessSchema>;

/** What a feed knows adversaries by: any one of the values is enough. Of one id the latest `modified` counts. */
export const indicatorSchema = z.strictObject({
  /** What the feed calls it. */
  indicator_id: nonEmpty.max(256),
  values: z.array(z.strictObject({ kind: z.enum(OBSERVABLE_KINDS), value: nonEmpty })).min(1),
  name: nonEmpty.optional(),
  labels: z.array(nonEmpty),
  /** How sure the feed is, 0 to 100 (STIX 2.1, appendix A). */
  confidence: z.int().min(0).max(100).optional(),
  valid_from: z.date().optional(),
  valid_until: z.date().optional(),
  modified: z.date().optional(),
  /** The feed has taken it back. */
  revoked: z.boolean(),
  position: nonEmpty,
});
export type IndicatorInput = z.infer<typeof indicatorSchema>;

/** A statement that a vulnerability does not concern what has it (VEX): findings of it are false positives. */
export const assessmentSchema = z.strictObject({
  engine: nonEmpty,
  /** All names of the vulnerability. */
  rule_ids: z.array(nonEmpty).min(1),
  /** The artifacts that it speaks of, by the names that findings may have for them; any where it names none. */
  artifacts: z.array(nonEmpty).optional(),
  /** The package that it speaks of, as `packageKey` names it; any where it names none. */
  package: nonEmpty.optional(),
  /** Why, as people read it. */
  note: nonEmpty,
  position: nonEmpty,
});
export type AssessmentInput = z.infer<typeof assessmentSchema>;

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
  /** The part of an estate that tells it, where an estate is told in parts: one service of one region. */
  part?: string;
  position: string;
}

/** A resource that refers to another (`resource_uid` both), and the edge of the asset graph that this makes. */
export interface EdgeInput {
  from: string;
  to: string;
  kind: EdgeKind;
  /** The edge leads from what is referred to. */
  reversed?: true;
  /** The attribute of `from` that tells it, where that is known: the catalog may say what it means. */
  via?: string;
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
