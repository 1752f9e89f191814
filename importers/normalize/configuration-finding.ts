import type { Severity } from '../../schema/model.js';
import type { ControlReference, ImportItem } from '../types.js';
import { toReferences, type PlaceDraft, type ReportItems } from './observation.js';

/** What a scanner says of how a thing is set up: a cluster, an object in one, an image, a host. */
export interface ConfigurationFinding {
  /** The scanner. */
  source: string;
  engine: string;
  ruleId: string;
  /** What the check asks, in plain words. */
  title: string;
  description?: string | undefined;
  /** What it says of this thing. */
  message?: string | undefined;
  severity: Severity;
  result: 'FAIL' | 'PASS';
  place: PlaceDraft;
  /** What tells several findings of one check on one thing apart, alike whether it fails or passes: a container. */
  part?: string | undefined;
  /** What else the scanner tells several findings apart by that the report has of the same part of one thing. */
  seen?: string | undefined;
  guidance?: string | undefined;
  urls?: readonly (string | undefined)[];
  controls?: ControlReference[];
  tags?: readonly (string | undefined)[];
  evidence?: Record<string, unknown>;
  position: string;
}

/** The items of one check of how a thing is set up: the rule the first time, and the observation. */
export function configurationItems(found: ConfigurationFinding, items: ReportItems): ImportItem[] {
  const { engine, ruleId, title, source, result, place, message } = found;
  const about = {
    severity: found.severity,
    description: found.description,
    remediation: { guidance: found.guidance },
    references: toReferences(found.urls ?? []),
    controls: found.controls ?? [],
  };
  const draft = {
    about,
    place,
    engine,
    result,
    rule_id: ruleId,
    title,
    source,
    discriminator: found.part,
    evidence: { message, part: found.part, ...found.evidence },
    position: found.position,
    content: `${result}\n${message ?? ''}\n${found.seen ?? ''}`,
  };
  return items.of(ruleId, draft, () => ({
    ...about,
    rule_id: ruleId,
    engine,
    title,
    source,
    resource_type: place.resource_type,
    tags: found.tags?.filter((tag) => tag !== undefined),
  }));
}
