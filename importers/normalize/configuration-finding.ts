import type { ImportItem } from '../types.js';
import { findingItems, type ReportedFinding } from './finding-items.js';
import type { ReportItems } from './observation.js';

/** What a scanner says of how a thing is set up: a cluster, an object in one, an image, a host. */
export interface ConfigurationFinding extends Omit<ReportedFinding, 'detail' | 'discriminator'> {
  /** What it says of this thing. */
  message?: string | undefined;
  result: 'FAIL' | 'PASS';
  /** What tells several findings of one check on one thing apart, alike whether it fails or passes: a container. */
  part?: string | undefined;
  /** What else the scanner tells several findings apart by that the report has of the same part of one thing. */
  seen?: string | undefined;
}

/** The items of one check of how a thing is set up: the rule the first time, and the observation. */
export const configurationItems = ({ message, part, seen, ...found }: ConfigurationFinding, items: ReportItems): ImportItem[] =>
  findingItems({ ...found, discriminator: part, evidence: { message, part, ...found.evidence } }, [message, seen], items);
