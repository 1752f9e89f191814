import type { Severity } from '../../schema/model.js';
import type { ControlReference, ImportItem, ImportOptions } from '../types.js';
import { codePlace } from './artifact.js';
import { declaredResource, type DeclaredResource } from './declared-resource.js';
import { toReferences, type ReportItems } from './observation.js';
import { cweControls, findCwes } from './taxonomy.js';

const MAX_LINES = 40;

/** What a scanner of infrastructure code says of one resource that the code declares. */
export interface DeclaredFinding {
  /** The scanner. */
  source: string;
  ruleId: string;
  /** What the check asks, in plain words. */
  title: string;
  description?: string | undefined;
  severity: Severity;
  result: 'FAIL' | 'PASS';
  resource: DeclaredResource;
  /** Relative to the repository's root. */
  file: string;
  startLine?: number | undefined;
  endLine?: number | undefined;
  /** Lines of the code, with their numbers where the scanner gives them. */
  lines?: readonly string[];
  /** What tells several findings of one check on one resource apart; alike in every scan. */
  fingerprint?: string | undefined;
  /** What the scanner saw, where it sees several things of one fingerprint. */
  seen?: string | undefined;
  guidance?: string | undefined;
  urls?: readonly (string | undefined)[];
  cwes?: readonly string[];
  controls?: readonly ControlReference[];
  evidence?: Record<string, unknown>;
  position: string;
}

/** The items of one check of infrastructure code: the rule the first time, and the observation of the engine `check`. */
export function declaredItems(found: DeclaredFinding, options: ImportOptions, items: ReportItems): ImportItem[] {
  const { ruleId, title, source, severity, result, file } = found;
  const base = codePlace({}, options);
  const declared = declaredResource(found.resource, options);
  const about = {
    severity,
    description: found.description,
    remediation: { guidance: found.guidance },
    references: toReferences(found.urls ?? []),
    controls: [...cweControls(findCwes(found.cwes ?? [])), ...(found.controls ?? [])],
  };
  const place = declared === undefined ? { ...base, resource_name: file } : { ...base, provider_metadata: {}, ...declared };
  const draft = {
    about,
    place,
    engine: 'check',
    result,
    rule_id: ruleId,
    title,
    source,
    discriminator: [file, ...(found.fingerprint === undefined ? [] : [found.fingerprint])].join('|'),
    evidence: {
      file,
      start_line: found.startLine,
      end_line: found.endLine,
      resource: found.resource.address,
      snippet: found.lines?.slice(0, MAX_LINES).join('\n'),
      ...found.evidence,
    },
    position: found.position,
    content: `${result}\n${found.startLine ?? ''}:${found.endLine ?? ''}\n${found.seen ?? ''}`,
  } as const;
  return items.of(ruleId, draft, () => ({
    ...about,
    rule_id: ruleId,
    engine: 'check',
    title,
    source,
    resource_type: place.resource_type,
    ...(declared?.provider !== undefined && { provider: declared.provider }),
  }));
}
