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
    return { kind: 'rule', rule: compact({ ...rule, ...texts, references: safeReferences(rule.references) }) as unknown as RuleInput };
  }

  /** The item for a finding, redacted. */
  observation(draft: ObservationDraft): ImportItem {
    const { content, ...fields } = draft;
    const resourceUid = safeId(fields.resource_uid);
    const discriminator = fields.discriminator === undefined ? '' : safeId(fields.discriminator);
    const identity = `${fields.engine}\n${fields.rule_id}\n${resourceUid}\n${discriminator}`;
    const observation = compact({
      ...fields,
      title: this.text(oneLine(fields.title)),
      description: this.text(fields.description),
      resource_uid: resourceUid,
      resource_name: fields.resource_name === undefined ? undefined : this.text(fields.resource_name),
      region: fields.region === undefined || fields.region === '' ? GLOBAL_REGION : fields.region,
      discriminator: discriminator + this.occurrences.suffix(identity, content),
      remediation: this.remediation(fields.remediation),
      references: safeReferences(fields.references),
      provider_metadata: fields.provider_metadata === undefined ? undefined : maskValue(compact(fields.provider_metadata)),
      artifact: fields.artifact === undefined ? undefined : safeId(fields.artifact),
      evidence: maskValue(compact(fields.evidence)),
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

/** The web addresses among texts, each once, at most 50. */
export function toReferences(urls: readonly (string | undefined)[]): Reference[] {
  const kept = new Set<string>();
  for (const url of urls) if (url !== undefined && /^https?:\/\/\S+$/.test(url.trim())) kept.add(url.trim());
  return [...kept].slice(0, 50).map((url) => ({ url }));
}

function safeReferences(references: readonly Reference[] | undefined): Reference[] | undefined {
  return references?.map((reference) => ({ ...reference, url: maskText(reference.url) }));
}

function oneLine(title: string): string {
  const line = title.trim().replace(/\s+/g, ' ');
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
