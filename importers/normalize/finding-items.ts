import type { Provider, Severity } from '../../schema/model.js';
import type { ControlReference, ImportItem, RemediationStep } from '../types.js';
import { toReferences, type AboutDraft, type PlaceDraft, type ReportItems } from './observation.js';
import { cweControls, findCwes } from './taxonomy.js';

const MAX_DETAIL = 4_000;

/** What a scanner says of one thing, as the kinds of findings share it: of a host, a cloud's resource, a cluster, an application, declared code. */
export interface ReportedFinding {
  /** The scanner. */
  source: string;
  engine: string;
  ruleId: string;
  /** What the check looks at, or what it found, in plain words. */
  title: string;
  /** What the rule is called, where the title is of this finding alone. */
  ruleTitle?: string | undefined;
  description?: string | undefined;
  /** What the description is of: of the rule, or of this finding alone. */
  describes?: 'rule' | 'finding' | undefined;
  /** Why it matters. */
  rationale?: string | undefined;
  severity: Severity;
  /** Of the rule, where findings differ. */
  ruleSeverity?: Severity | undefined;
  /** The platform that the rule is of; without it any. */
  ruleProvider?: Provider | undefined;
  /** Without it the finding fails. */
  result?: 'FAIL' | 'PASS' | undefined;
  place: PlaceDraft;
  /** What tells several findings of one rule on one thing apart, alike in every report, and whether it fails or passes: a port, a file, a container. */
  discriminator?: string | undefined;
  /** What the scanner saw there. */
  detail?: string | undefined;
  guidance?: string | undefined;
  /** The guidance as the tool marks it up, in Markdown. */
  markdown?: string | undefined;
  steps?: readonly RemediationStep[] | undefined;
  urls?: readonly (string | undefined)[] | undefined;
  /** Texts that name weaknesses. */
  cwes?: readonly string[] | undefined;
  controls?: readonly ControlReference[] | undefined;
  /** Ids of MITRE ATT&CK. */
  mitreTechniques?: string[] | undefined;
  mitreTactics?: string[] | undefined;
  cvss?: number | undefined;
  epss?: number | undefined;
  evidence?: Record<string, unknown> | undefined;
  tags?: readonly (string | undefined)[] | undefined;
  /** All that the report says of its identity is one finding, however often and in whatever words. */
  isOnce?: true | undefined;
  position: string;
}

/** What evidence keeps of what a scanner saw. */
export const detailOf = (text: string | undefined): string | undefined => text?.slice(0, MAX_DETAIL);

/**
 * The items of one finding: the rule the first time, and the observation.
 * @param told what tells this result apart from another of the same identity in the report, beside its result: message, place
 */
export function findingItems(found: ReportedFinding, told: readonly (string | undefined)[], items: ReportItems): ImportItem[] {
  const { engine, ruleId, title, source, place, result = 'FAIL', steps = [], tags, ruleProvider } = found;
  const about: AboutDraft = {
    severity: found.severity,
    description: found.description,
    remediation: { guidance: found.guidance, markdown: found.markdown, ...(steps.length > 0 && { steps: [...steps] }) },
    references: toReferences(found.urls ?? []),
    controls: [...cweControls(findCwes(found.cwes ?? [])), ...(found.controls ?? [])],
    ...(found.mitreTechniques && { mitre_techniques: found.mitreTechniques }),
    ...(found.mitreTactics && { mitre_tactics: found.mitreTactics }),
  };
  const draft = {
    ...{ about, place, engine, result, title, source },
    rule_id: ruleId,
    discriminator: found.discriminator,
    cvss: found.cvss,
    epss: found.epss,
    evidence: found.evidence ?? {},
    position: found.position,
    content: [result, ...told.map((text) => text ?? '')].join('\n'),
  };
  const rule = () => ({
    ...about,
    severity: found.ruleSeverity ?? found.severity,
    description: found.describes === 'finding' ? undefined : found.description,
    rule_id: ruleId,
    ...{ engine, source },
    title: found.ruleTitle ?? title,
    rationale: found.rationale,
    ...(ruleProvider && { provider: ruleProvider }),
    resource_type: place.resource_type,
    tags: tags?.filter((tag) => tag !== undefined && tag.trim() !== '') as string[] | undefined,
  });
  return found.isOnce === true ? items.once(ruleId, draft, rule) : items.of(ruleId, draft, rule);
}
