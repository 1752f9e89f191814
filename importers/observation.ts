import { GLOBAL_REGION, type Provider } from '../schema/model.js';
import { registryProvider } from './cloud.js';
import { compact } from './json-fields.js';
import { Occurrences, shortHash } from './identity.js';
import { maskText, maskValue } from './redact-fast.js';
import type { ImportItem, Observation, Reference, RuleInput } from './types.js';

/** An observation before its region is settled and its discriminator made unique. */
export type ObservationDraft = Omit<Observation, 'region' | 'evidence'> & {
  region: string | undefined;
  evidence: Record<string, unknown>;
  /** What tells this result apart from another of the same identity in the report: message, place. */
  content: string;
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
  private readonly memo = new Map<string, string>();

  /** Whether a rule of this id was not emitted yet; it counts as emitted from now on. */
  isNewRule(ruleId: string): boolean {
    if (this.rules.has(ruleId)) return false;
    this.rules.add(ruleId);
    return true;
  }

  /** The item for a rule, redacted. Call it only where `isNewRule` said so. */
  rule(rule: RuleInput): ImportItem {
    const { description, rationale, remediation } = rule;
    const texts = { title: this.text(rule.title), description: this.text(description), rationale: this.text(rationale), remediation: this.remediation(remediation) };
    return { kind: 'rule', rule: compact({ ...rule, ...texts }) as unknown as RuleInput };
  }

  /** The item for a finding, redacted. */
  observation(draft: ObservationDraft): ImportItem {
    const resourceUid = safeId(draft.resource_uid);
    const discriminator = draft.discriminator === undefined ? '' : safeId(draft.discriminator);
    const suffix = this.occurrences.suffix(`${draft.engine}\n${draft.rule_id}\n${resourceUid}\n${discriminator}`, draft.content);
    const observation = compact({
      engine: draft.engine,
      result: draft.result,
      rule_id: draft.rule_id,
      title: this.text(oneLine(draft.title)),
      description: this.text(draft.description),
      severity: draft.severity,
      resource_uid: resourceUid,
      resource_type: draft.resource_type,
      resource_name: this.text(draft.resource_name),
      provider: draft.provider,
      account_id: draft.account_id,
      region: draft.region === undefined || draft.region === '' ? GLOBAL_REGION : draft.region,
      discriminator: discriminator + suffix,
      service: draft.service,
      artifact: draft.artifact === draft.resource_uid ? resourceUid : draft.artifact === undefined ? undefined : safeId(draft.artifact),
      cvss: draft.cvss,
      epss: draft.epss,
      known_exploited: draft.known_exploited,
      remediation: this.remediation(draft.remediation),
      references: draft.references,
      controls: draft.controls,
      mitre_techniques: draft.mitre_techniques,
      mitre_tactics: draft.mitre_tactics,
      evidence: maskValue(compact(draft.evidence)),
      provider_metadata: draft.provider_metadata === undefined ? undefined : maskValue(compact(draft.provider_metadata)),
      position: draft.position,
    });
    return { kind: 'observation', observation: observation as unknown as Observation };
  }

  private remediation(remediation: Observation['remediation']): Observation['remediation'] {
    if (remediation === undefined || (remediation.guidance === undefined && remediation.steps === undefined)) return undefined;
    return compact({
      guidance: this.text(remediation.guidance),
      steps: remediation.steps?.map((step) => compact({ action: this.text(step.action), detail: this.text(step.detail) })),
    });
  }

  /** Texts repeat from finding to finding: masking each of them once is what keeps reading fast. */
  private text(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const known = this.memo.get(text);
    if (known !== undefined) return known;
    const masked = maskText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text).trim();
    if (this.memo.size >= MEMO_SIZE) this.memo.clear();
    this.memo.set(text, masked);
    return masked;
  }
}

/** An identifier without a secret in it; a hash keeps two masked ones apart. */
export function safeId(id: string): string {
  const masked = maskText(id);
  return masked === id ? id : `${masked}-${shortHash(id)}`;
}

/**
 * The provider of what is no cloud resource: the registry's for an image, else `k8s` marked as inferred, because the model has
 * no value for code and images of no cloud.
 */
export function inferProvider(image: string | undefined): { provider: Provider; provider_metadata: Record<string, unknown> } {
  const provider = image === undefined ? undefined : registryProvider(image);
  return provider === undefined ? { provider: 'k8s', provider_metadata: { provider_inferred: true } } : { provider, provider_metadata: {} };
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
