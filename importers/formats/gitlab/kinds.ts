import type { JsonOutline } from '../../readers/json/outline.js';
import { objectAt, objectsAt, textAt, type JsonObject } from '../../readers/json/fields.js';

/** The kinds of security reports that speak of code, what it depends on, and images: `scan.type`, and `category` before version 15. */
export const KINDS = ['sast', 'secret_detection', 'dependency_scanning', 'container_scanning', 'cluster_image_scanning'] as const;
export type GitLabKind = (typeof KINDS)[number];

const isKind = (word: string | undefined): word is GitLabKind => (KINDS as readonly (string | undefined)[]).includes(word);

/** The kind of a report, as it says. */
export const kindOfWord = (word: string | undefined): GitLabKind | undefined => (isKind(word) ? word : undefined);

/** The kind of a vulnerability: what it says itself, else what its place and its names show. */
export function kindOf(vulnerability: JsonObject, ofReport: GitLabKind | undefined): GitLabKind {
  const own = kindOfWord(textAt(vulnerability, 'category'));
  const isSecret = objectsAt(vulnerability, 'identifiers').some((one) => /gitleaks|trufflehog/i.test(textAt(one, 'type') ?? ''));
  // an analyzer of code may find secrets beside: they are no less secret
  if (isSecret) return 'secret_detection';
  if (own !== undefined) return own;
  if (ofReport !== undefined) return ofReport;
  const location = objectAt(vulnerability, 'location');
  if (textAt(location, 'image') !== undefined || textAt(location, 'operating_system') !== undefined) return 'container_scanning';
  return textAt(objectAt(objectAt(location, 'dependency'), 'package'), 'name') === undefined ? 'sast' : 'dependency_scanning';
}

/** Whether a head is of a report of these kinds. A report of another kind has places in an application instead of files. */
export function isGitLabReport(outline: JsonOutline): boolean {
  if (!outline.has('vulnerabilities')) return false;
  const type = outline.get('scan.type');
  if (type !== undefined && type !== '') return isKind(type) && outline.get('version') !== undefined;
  if (!outline.has('vulnerabilities[].identifiers') && !outline.has('vulnerabilities[].scanner')) return false;
  return (
    isKind(outline.get('vulnerabilities[].category')) ||
    ['file', 'start_line', 'image', 'operating_system', 'dependency.package.name'].some((key) =>
      outline.has(`vulnerabilities[].location.${key}`),
    )
  );
}
