import type { ImportItem, ImportOptions } from '../types.js';
import { safeId } from './observation.js';

/** That a report of a scanner covers an artifact for an engine, whether it found anything there or not. */
export function coverage(engine: string, artifact: string, source: string, { account_id }: ImportOptions): ImportItem {
  return { kind: 'scope', scope: { engine, artifact: safeId(artifact), source, ...(account_id && { account_id }) } };
}
