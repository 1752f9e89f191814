import type { Severity } from '../../schema/model.js';
import type { ImportItem } from '../types.js';
import { shortHash } from './identity.js';
import { toReferences, type PlaceDraft, type ReportItems } from './observation.js';
import { cweControls, findCwes, findTechniques, owaspControls } from './taxonomy.js';

const MAX_SNIPPET = 2000;

/** A place in code. Lines and columns count from 1. */
export interface CodeLocation {
  /** Relative to the repository's root. */
  file?: string | undefined;
  startLine?: number | undefined;
  endLine?: number | undefined;
  startColumn?: number | undefined;
  endColumn?: number | undefined;
}

/** What a scanner of code found at one place. */
export interface CodeFinding {
  /** The scanner, which separates its findings from those of others. */
  source: string;
  /** Its name and version as people know them. */
  tool: string;
  toolVersion?: string | undefined;
  ruleId: string;
  /** What the rule looks for, in plain words. */
  title: string;
  /** What it says of this place. */
  message?: string | undefined;
  /** What it says of the rule. */
  description?: string | undefined;
  severity: Severity;
  /** Of the rule, where places differ. */
  ruleSeverity?: Severity;
  result?: 'FAIL' | 'PASS';
  location: CodeLocation;
  snippet?: string | undefined;
  /** What the scanner itself knows a finding by, whatever line it moves to. */
  fingerprint?: string | undefined;
  /** Texts that name weaknesses, categories and techniques. */
  cwes?: readonly string[];
  owasp?: readonly string[];
  tags?: readonly string[];
  urls?: readonly (string | undefined)[];
  guidance?: string | undefined;
  /** The place itself shows a secret: neither its code nor its message is kept. */
  isSecret?: boolean;
  evidence?: Record<string, unknown>;
  place: PlaceDraft;
  position: string;
}

/**
 * What keeps a finding in code the same while lines move: the file with the scanner's fingerprint, else with the code, else with what
 * is said of it.
 */
export function codeDiscriminator(
  file: string | undefined,
  fingerprint: string | undefined,
  code: string | undefined,
  message = '',
): string {
  const plain = code?.replace(/\s+/g, ' ').trim();
  return `${file ?? ''}|${fingerprint ?? shortHash(plain === undefined || plain === '' ? message : plain)}`;
}

/** The items of one finding in code: the rule the first time, and the observation of the engine `secops`. */
export function codeItems(found: CodeFinding, items: ReportItems): ImportItem[] {
  const { ruleId, source, title, location, message, severity, isSecret = false } = found;
  const cwes = findCwes(found.cwes ?? []);
  const result = found.result ?? 'FAIL';
  const about = {
    severity,
    description: found.description ?? (isSecret ? undefined : message),
    remediation: { guidance: found.guidance },
    references: toReferences(found.urls ?? []),
    controls: [...cweControls(cwes), ...owaspControls(found.owasp ?? [])],
    mitre_techniques: findTechniques(found.tags ?? []),
  };
  const draft = {
    about,
    place: { ...found.place, resource_name: location.file ?? found.place.resource_name },
    engine: 'secops',
    result,
    rule_id: ruleId,
    title,
    source,
    // code that holds a secret could be guessed from a digest of it
    discriminator: isSecret
      ? `${location.file ?? ''}|${found.fingerprint ?? ''}`
      : codeDiscriminator(location.file, found.fingerprint, found.snippet, message),
    evidence: {
      kind: isSecret ? 'secret' : undefined,
      message: isSecret ? undefined : message,
      tool: found.tool,
      tool_version: found.toolVersion,
      file: location.file,
      start_line: lineOf(location.startLine),
      end_line: lineOf(location.endLine),
      start_column: location.startColumn,
      end_column: location.endColumn,
      snippet: isSecret ? undefined : found.snippet?.slice(0, MAX_SNIPPET),
      cwes,
      tags: found.tags?.slice(0, 50),
      ...found.evidence,
    },
    position: found.position,
    content: `${result}\n${isSecret ? '' : (message ?? '')}\n${location.startLine ?? ''}:${location.startColumn ?? ''}`,
  } as const;
  return items.of(ruleId, draft, () => ({
    ...about,
    severity: found.ruleSeverity ?? severity,
    description: found.description,
    rule_id: ruleId,
    engine: 'secops',
    title,
    source,
    tags: found.tags?.slice(0, 50),
  }));
}

/** The schema of evidence takes whole lines only. */
const lineOf = (line: number | undefined): number | undefined => (line !== undefined && Number.isInteger(line) ? line : undefined);
