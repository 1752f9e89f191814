import type { Severity } from '../../schema/model.js';
import type { ControlReference, ImportItem } from '../types.js';
import { toReferences, type PlaceDraft, type ReportItems } from './observation.js';
import { cweControls, findCwes } from './taxonomy.js';

/** What a scanner says of a host or of a service on one. */
export interface HostFinding {
  /** The scanner. */
  source: string;
  engine: 'agent' | 'technology' | 'encryption' | 'dbsec' | 'cwpp' | 'vulnerability';
  ruleId: string;
  /** What the check looks at, or what it found, in plain words. */
  title: string;
  /** What the rule is called, where the title tells of the host. */
  ruleTitle?: string;
  description?: string | undefined;
  severity: Severity;
  /** Of the rule, where hosts differ. */
  ruleSeverity?: Severity | undefined;
  result?: 'FAIL' | 'PASS';
  place: PlaceDraft;
  /** What tells several findings of one check on one host apart, alike in every scan: a port, a file. */
  discriminator?: string | undefined;
  /** What the scanner saw. */
  detail?: string | undefined;
  guidance?: string | undefined;
  urls?: readonly (string | undefined)[];
  cwes?: readonly string[];
  controls?: readonly ControlReference[];
  cvss?: number | undefined;
  evidence?: Record<string, unknown>;
  tags?: string[];
  mitreTechniques?: string[];
  /** All that the report says of its identity is one finding, however often and in whatever words. */
  isOnce?: true;
  position: string;
}

const MAX_DETAIL = 4_000;

/** The items of one finding on a host: the rule the first time, and the observation. */
export function hostItems(found: HostFinding, items: ReportItems): ImportItem[] {
  const { engine, ruleId, title, source, severity, detail, result = 'FAIL' } = found;
  const about = {
    severity,
    description: found.description,
    remediation: { guidance: found.guidance },
    references: toReferences(found.urls ?? []),
    controls: [...cweControls(findCwes(found.cwes ?? [])), ...(found.controls ?? [])],
    ...(found.mitreTechniques !== undefined && { mitre_techniques: found.mitreTechniques }),
  };
  const draft = {
    about,
    engine,
    result,
    title,
    source,
    rule_id: ruleId,
    place: found.place,
    discriminator: found.discriminator,
    cvss: found.cvss,
    evidence: { status_detail: detail?.slice(0, MAX_DETAIL), ...found.evidence },
    position: found.position,
    content: `${result}\n${detail ?? ''}`,
  };
  const rule = () => ({
    ...about,
    severity: found.ruleSeverity ?? severity,
    rule_id: ruleId,
    engine,
    title: found.ruleTitle ?? title,
    source,
    resource_type: found.place.resource_type,
    tags: found.tags,
  });
  return found.isOnce === true ? items.once(ruleId, draft, rule) : items.of(ruleId, draft, rule);
}
