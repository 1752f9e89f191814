import {
  damageOf,
  detectFormat,
  fileSource,
  findImporter,
  importers,
  isDamage,
  NotOfFormat,
  readHead,
  ReportTooLarge,
  type ReportFormat,
  type ReportSource,
} from '../../importers/index.js';
import { PalisadeError } from '../../kit/base/errors.js';

const MIB = 1_048_576;

/** The largest report in bytes. */
export const maxBytesOf = (maxMib: number): number => maxMib * MIB;

/** The report in a file, guarded against one that grows past the limit when it is unpacked. */
export const reportSource = (path: string, maxMib: number): ReportSource => fileSource(path, { maxBytes: maxBytesOf(maxMib) });

/**
 * Finds out the format of a report, or whether it is of the format that the caller named, before a run is made of it.
 * @returns the format's importer, or the reason why it is of none
 * @throws PalisadeError PAYLOAD_TOO_LARGE when it is larger than the limit once unpacked
 */
export async function recognize(
  path: string,
  named: string | null,
  maxMib: number,
): Promise<{ importer: ReportFormat } | { reason: string }> {
  const source = reportSource(path, maxMib);
  try {
    const importer = named === null ? detectFormat(await readHead(source)) : findImporter(named);
    if (!importer) return { reason: `the report is of no supported format: ${importers.map(({ name }) => name).join(', ')}` };
    for await (const _first of importer.read(source, {})) break;
    return { importer };
  } catch (error) {
    if (error instanceof NotOfFormat) return { reason: error.message };
    if (isDamage(error)) return { reason: damageOf(error) };
    if (error instanceof ReportTooLarge) throw new PalisadeError('PAYLOAD_TOO_LARGE', error.message, { max_mib: maxMib });
    throw error;
  }
}
