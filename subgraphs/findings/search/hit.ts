import type { Severity } from '../../../schema/model.js';

/** What is searched, in the order of turns. */
export const SEARCH_KINDS = ['asset', 'finding', 'cve', 'rule', 'framework', 'control'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** One thing that a search found. */
export interface SearchHit {
  kind: SearchKind;
  id: string;
  title: string;
  detail: string | null;
  engine: string | null;
  severity: Severity | null;
  /** What it is found by beside what is shown of it. */
  searched?: string | null;
}
