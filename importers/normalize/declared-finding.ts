import type { ImportItem, ImportOptions } from '../types.js';
import { codePlace } from './artifact.js';
import { declaredResource, type DeclaredResource } from './declared-resource.js';
import { findingItems, type ReportedFinding } from './finding-items.js';
import type { ReportItems } from './observation.js';

const MAX_LINES = 40;

/** What a scanner of infrastructure code says of one resource that the code declares. */
export interface DeclaredFinding extends Omit<ReportedFinding, 'engine' | 'place' | 'detail' | 'discriminator' | 'ruleProvider'> {
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
}

/** The items of one check of infrastructure code: the rule the first time, and the observation of the engine `check`. */
export function declaredItems(found: DeclaredFinding, options: ImportOptions, items: ReportItems): ImportItem[] {
  const { resource, file, startLine, endLine, lines, fingerprint, seen, ...reported } = found;
  const base = codePlace({}, options);
  const declared = declaredResource(resource, options);
  const finding = {
    ...reported,
    engine: 'check',
    place: declared === undefined ? { ...base, resource_name: file } : { ...base, provider_metadata: {}, ...declared },
    ruleProvider: declared?.provider,
    discriminator: [file, ...(fingerprint === undefined ? [] : [fingerprint])].join('|'),
    evidence: {
      file,
      start_line: startLine,
      end_line: endLine,
      resource: resource.address,
      snippet: lines?.slice(0, MAX_LINES).join('\n'),
      ...reported.evidence,
    },
  };
  return findingItems(finding, [`${startLine ?? ''}:${endLine ?? ''}`, seen], items);
}
