import type { ImportItem } from '../types.js';
import { detailOf, findingItems, type ReportedFinding } from './finding-items.js';
import type { ReportItems } from './observation.js';

/** What a scanner says of a host or of a service on one. */
export interface HostFinding extends ReportedFinding {
  engine: 'agent' | 'technology' | 'encryption' | 'dbsec' | 'cwpp' | 'vulnerability';
}

/** The items of one finding on a host: the rule the first time, and the observation. */
export const hostItems = (found: HostFinding, items: ReportItems): ImportItem[] =>
  findingItems({ ...found, evidence: { status_detail: detailOf(found.detail), ...found.evidence } }, [found.detail], items);
