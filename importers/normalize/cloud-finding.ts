import type { Severity } from '../../schema/model.js';
import type { ControlReference, ImportItem, RemediationStep } from '../types.js';
import type { CloudPlace } from './cloud-resource.js';
import { toReferences, type ReportItems } from './observation.js';
import { findTechniques, tacticId } from './taxonomy.js';

/** What a product that looks at clouds says of one resource: the result of a check, or something that it saw happen. */
export interface CloudFinding {
  /** The product. */
  source: string;
  engine: string;
  ruleId: string;
  /** What the check asks, or what was seen, in plain words. */
  title: string;
  /** What the rule is called, where the title is of this finding alone. */
  ruleTitle?: string;
  description?: string | undefined;
  /** What the description is of: of the rule, or of this finding alone. */
  describes?: 'rule' | 'finding';
  /** Why it matters. */
  rationale?: string | undefined;
  severity: Severity;
  /** Of the rule, where findings differ. */
  ruleSeverity?: Severity | undefined;
  result: 'FAIL' | 'PASS';
  place: CloudPlace;
  /** What tells several findings of one rule on one resource apart, alike in every report. */
  discriminator?: string | undefined;
  /** What the product saw there. */
  detail?: string | undefined;
  guidance?: string | undefined;
  steps?: RemediationStep[];
  urls?: readonly (string | undefined)[];
  controls?: ControlReference[];
  /** Texts that name techniques, and names of tactics, of MITRE ATT&CK. */
  techniques?: readonly string[];
  tactics?: readonly string[];
  evidence?: Record<string, unknown>;
  tags?: readonly string[];
  position: string;
}

const MAX_DETAIL = 4_000;

/** The items of one finding on a resource of a cloud: the rule the first time, and the observation. */
export function cloudItems(found: CloudFinding, items: ReportItems): ImportItem[] {
  const { engine, ruleId, title, source, result, detail, steps = [], rationale, describes = 'rule' } = found;
  const { hasRegion: _hasRegion, ...place } = found.place;
  const about = {
    severity: found.severity,
    description: found.description,
    remediation: { guidance: found.guidance, ...(steps.length > 0 && { steps }) },
    references: toReferences(found.urls ?? []),
    controls: found.controls ?? [],
    mitre_techniques: findTechniques(found.techniques ?? []),
    mitre_tactics: [...new Set((found.tactics ?? []).flatMap((name) => tacticId(name) ?? []))],
  };
  const draft = {
    about,
    place,
    engine,
    result,
    title,
    source,
    rule_id: ruleId,
    discriminator: found.discriminator,
    evidence: { status_detail: detail?.slice(0, MAX_DETAIL), risk: rationale, ...found.evidence },
    position: found.position,
    content: `${result}\n${detail ?? ''}`,
  };
  return items.of(ruleId, draft, () => ({
    ...about,
    severity: found.ruleSeverity ?? found.severity,
    description: describes === 'rule' ? found.description : undefined,
    rule_id: ruleId,
    engine,
    title: found.ruleTitle ?? title,
    rationale,
    source,
    provider: place.provider,
    resource_type: place.resource_type,
    tags: found.tags?.filter((tag) => tag.trim() !== ''),
  }));
}
