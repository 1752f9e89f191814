import type { z } from 'zod';
import { observationSchema, ruleSchema } from '../../schema/observations.js';
import { GLOBAL_REGION, type Provider, type Severity } from '../../schema/model.js';
import { registryProvider } from './cloud.js';
import { BrokenRecord, compact } from '../readers/json/fields.js';
import { Occurrences, shortHash } from './identity.js';
import { maskText, maskValue } from '../../redaction/redact-fast.js';
import type { ControlReference, ImportItem, ImportOptions, Observation, Reference, RemediationStep } from '../types.js';

const DIGEST = /\bsha256:[0-9a-f]{64}\b/;

/** The digests by which registries know an image, whatever name it was scanned under; undefined for what is none, and where nothing tells them. */
function artifactDigests({ resource_uid, resource_type, provider_metadata: metadata }: PlaceDraft): string[] | undefined {
  if (resource_type !== 'container_image') return undefined;
  const told = [resource_uid, metadata?.['image_digests'], metadata?.['manifest_digest']].flat();
  const digests = told.flatMap((one) => (typeof one === 'string' ? (DIGEST.exec(one)?.[0] ?? []) : []));
  return digests.length === 0 ? undefined : [...new Set(digests)].sort();
}

/** Where a finding lies. */
export interface PlaceDraft {
  resource_uid: string;
  resource_type: string;
  resource_name?: string | undefined;
  provider: Provider;
  account_id?: string | undefined;
  region?: string | undefined;
  service?: string | undefined;
  artifact?: string | undefined;
  provider_metadata?: Record<string, unknown>;
}

/** What a finding shares with its rule. */
export interface AboutDraft {
  severity: Severity;
  description?: string | undefined;
  remediation?: { guidance?: string | undefined; markdown?: string | undefined; steps?: RemediationStep[] };
  references?: Reference[];
  controls?: ControlReference[];
  mitre_techniques?: string[];
  mitre_tactics?: string[];
}

/** An observation in the making: not redacted yet, and its discriminator not unique yet. */
export interface ObservationDraft {
  engine: string;
  result: 'FAIL' | 'PASS';
  rule_id: string;
  title: string;
  /** The scanner, where it differs from the report's format. */
  source?: string;
  place: PlaceDraft;
  about: AboutDraft;
  discriminator?: string | undefined;
  /** The discriminator that earlier releases gave it, where that was another. */
  formerDiscriminator?: string | undefined;
  /** As `formerDiscriminator`, where the rule was another, too. */
  formerly?: { rule_id: string; discriminator: string } | undefined;
  /** All tools tell it apart alike. */
  isShared?: true;
  cvss?: number | undefined;
  epss?: number | undefined;
  known_exploited?: boolean | undefined;
  evidence: Record<string, unknown>;
  position: string;
  /** What tells this result apart from another of the same identity in the report: message, place. */
  content: string;
}

/** A rule in the making. */
export type RuleDraft = AboutDraft & {
  rule_id: string;
  engine: string;
  title: string;
  source: string;
  rationale?: string | undefined;
  provider?: Provider;
  resource_type?: string;
  tags?: string[] | undefined;
};

const MEMO_SIZE = 4096;
const MAX_TEXT = 20_000;

/**
 * Collects what one report says: rules once each, observations redacted and with discriminators that no two different
 * results share.
 */
export class ReportItems {
  private readonly rules = new Set<string>();
  private readonly occurrences = new Occurrences();
  private readonly texts = new Map<string, string>();
  private readonly values = new Map<string, string>();
  private readonly ids = new Map<string, string>();
  private readonly metadata = new WeakMap<object, Record<string, unknown>>();

  /** The items of one record: its observation, behind its rule where that was not given yet. */
  of(ruleId: string, observation: ObservationDraft, rule: () => RuleDraft): ImportItem[] {
    const item = this.observation(observation);
    if (this.rules.has(ruleId)) return [item];
    const ruleItem = this.rule(rule());
    this.rules.add(ruleId);
    return [ruleItem, item];
  }

  /** As `of`, for observations that tell all there is of their identity: what the report says of it again gives nothing. */
  once(ruleId: string, observation: ObservationDraft, rule: () => RuleDraft): ImportItem[] {
    const { place, discriminator } = observation;
    const shared: ObservationDraft = { ...observation, isShared: true };
    const identity = this.identityOf(shared, remember(this.ids, place.resource_uid, safeId), safeId(discriminator ?? ''));
    return this.occurrences.has(identity) ? [] : this.of(ruleId, shared, rule);
  }

  /** One report may hold what several scanners say of the same: of each it is one observation. */
  private identityOf({ engine, rule_id, isShared, source }: ObservationDraft, resourceUid: string, discriminator: string): string {
    return `${engine}\n${rule_id}\n${resourceUid}\n${discriminator}${isShared === true ? `\n${source ?? ''}` : ''}`;
  }

  private rule(rule: RuleDraft): ImportItem {
    const { description, rationale, remediation } = rule;
    const texts = {
      title: this.text(rule.title),
      description: this.text(description),
      rationale: this.text(rationale),
      remediation: this.remediation(remediation),
    };
    return { kind: 'rule', rule: checked(ruleSchema, compact({ ...rule, ...texts })) };
  }

  private observation(draft: ObservationDraft): ImportItem {
    const { about, place } = draft;
    const resourceUid = remember(this.ids, place.resource_uid, safeId);
    const unique = (discriminator = '') => this.uniqueDiscriminator(draft, resourceUid, safeId(discriminator));
    const observation = compact({
      engine: draft.engine,
      result: draft.result,
      rule_id: draft.rule_id,
      source: draft.source,
      title: this.text(oneLine(draft.title)),
      description: this.text(about.description),
      severity: about.severity,
      resource_uid: resourceUid,
      resource_type: place.resource_type,
      resource_name: this.text(place.resource_name),
      provider: place.provider,
      account_id: place.account_id,
      region: place.region === undefined || place.region === '' ? GLOBAL_REGION : place.region,
      discriminator: unique(draft.discriminator),
      is_shared: draft.isShared,
      artifact_digests: draft.isShared === true ? artifactDigests(place) : undefined,
      former_discriminator: draft.formerly
        ? safeId(draft.formerly.discriminator)
        : draft.formerDiscriminator && unique(draft.formerDiscriminator),
      former_rule_id: draft.formerly?.rule_id,
      service: place.service,
      artifact: place.artifact === place.resource_uid ? resourceUid : place.artifact === undefined ? undefined : safeId(place.artifact),
      cvss: draft.cvss,
      epss: draft.epss,
      known_exploited: draft.known_exploited,
      remediation: this.remediation(about.remediation),
      references: about.references,
      controls: about.controls,
      mitre_techniques: about.mitre_techniques,
      mitre_tactics: about.mitre_tactics,
      evidence: this.evidence(draft.evidence),
      provider_metadata: this.providerMetadata(place.provider_metadata),
      position: draft.position,
    });
    return { kind: 'observation', observation: checked(observationSchema, observation) };
  }

  private uniqueDiscriminator(draft: ObservationDraft, resourceUid: string, discriminator: string): string {
    return discriminator + this.occurrences.suffix(this.identityOf(draft, resourceUid, discriminator), draft.content);
  }

  /** Member by member, so that one suspicious text does not make all of them pay. The names are ours. */
  private evidence(evidence: Record<string, unknown>): Record<string, unknown> {
    const masked = compact(evidence);
    for (const key of Object.keys(masked)) {
      const value = masked[key];
      if (typeof value === 'string') masked[key] = value.length < 12 ? maskText(value) : remember(this.values, value, maskValue);
      else if (typeof value === 'object') masked[key] = maskValue(value);
    }
    return masked;
  }

  /** Findings on one image or repository share the object, so it is masked once. */
  private providerMetadata(metadata: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
    if (metadata === undefined) return undefined;
    const known = this.metadata.get(metadata);
    if (known !== undefined) return known;
    const masked = maskValue(compact(metadata));
    this.metadata.set(metadata, masked);
    return masked;
  }

  private remediation(remediation: AboutDraft['remediation']): Observation['remediation'] {
    if (remediation === undefined) return undefined;
    const { guidance, markdown, steps } = remediation;
    if (guidance === undefined && markdown === undefined && steps === undefined) return undefined;
    return compact({
      guidance: this.text(guidance),
      markdown: this.text(markdown),
      steps: steps?.map((step) => compact({ action: this.text(step.action), detail: this.text(step.detail) })),
    });
  }

  private text(text: string | undefined): string | undefined {
    return text === undefined ? undefined : remember(this.texts, text, maskLong);
  }
}

/** @throws BrokenRecord that names what the declaration does not allow: a report may hold anything */
function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BrokenRecord(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}

/** Texts repeat from finding to finding: masking each of them once is what keeps reading fast. */
function remember(known: Map<string, string>, text: string, mask: (text: string) => string): string {
  const found = known.get(text);
  if (found !== undefined) return found;
  const masked = mask(text);
  if (known.size >= MEMO_SIZE) known.clear();
  known.set(text, masked);
  return masked;
}

function maskLong(text: string): string {
  return maskText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text).trim();
}

/** An identifier without a secret in it; a hash keeps two masked ones apart. */
export function safeId(id: string): string {
  const masked = maskText(id);
  return masked === id ? id : `${masked}-${shortHash(id)}`;
}

/**
 * The provider of what is no cloud resource: the registry's for an image, else the import's, marked as inferred, because the model has
 * no value for code and images of no cloud. An import that has none, of a tenant that was made before it had a default, means `k8s`.
 */
export function inferProvider(
  image: string | undefined,
  { provider: fallback = 'k8s' }: ImportOptions,
): { provider: Provider; provider_metadata: Record<string, unknown> } {
  const provider = image === undefined ? undefined : registryProvider(image);
  if (provider !== undefined) return { provider, provider_metadata: {} };
  return { provider: fallback, provider_metadata: { provider_inferred: true } };
}

/** The web addresses among texts, without secrets, each once, at most 50. */
export function toReferences(urls: readonly (string | undefined)[]): Reference[] {
  const kept = new Set<string>();
  for (const url of urls) {
    const trimmed = url?.trim() ?? '';
    if (kept.size < 50 && /^https?:\/\/\S+$/.test(trimmed)) kept.add(trimmed);
  }
  return Array.from(kept, (url) => ({ url: maskText(url) }));
}

function oneLine(title: string): string {
  const line = /\s\s|[\t\n\r]|^\s|\s$/.test(title) ? title.trim().replace(/\s+/g, ' ') : title;
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
