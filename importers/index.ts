import { importers } from './registry.js';
import type { Importer } from './types.js';

export { detectFormat } from './detect.js';
export { importers } from './registry.js';
export { ReportTooLarge, bufferSource, fileSource, readHead, type SourceOptions } from './readers/source.js';
export * from './types.js';

/** The importer of a format name as `?format=` gives it; undefined for a name that there is none of. */
export function findImporter(format: string): Importer | undefined {
  return importers.find((importer) => importer.format === format);
}
