import { importers } from './registry.js';
import type { ReportFormat } from './types.js';

export { detectFormat } from './detect.js';
export { openReport } from './open-report.js';
export { importers } from './registry.js';
export { ARCHIVE, type Report } from './report.js';
export { ReportTooLarge, bufferSource, fileSource, damageOf, isDamage, readHead, type SourceOptions } from './readers/source.js';
export * from './types.js';
export type { ReportFormat as Importer } from './types.js';

/** The importer of a format name as `?format=` gives it; undefined for a name that there is none of. */
export function findImporter(format: string): ReportFormat | undefined {
  return importers.find(({ name }) => name === format);
}
