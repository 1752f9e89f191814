import { importers } from './registry.js';
import type { ReportFormat } from './types.js';

/**
 * The importer whose format a report has, detected from its first bytes (up to DETECT_BYTES, as text; `readHead` of source.ts
 * gives them); undefined when it is of none. A byte order mark, leading space and any layout are fine, as is a cut head.
 */
export function detectFormat(head: string): ReportFormat | undefined {
  const text = head.replace(/^\uFEFF/, '');
  return importers.find((importer) => importer.detect(text));
}
