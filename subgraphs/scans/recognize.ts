import {
  damageOf,
  fileSource,
  isDamage,
  NotOfFormat,
  openReport,
  ReportTooLarge,
  type Report,
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
 * @returns the report, or the reason why it is of no format
 * @throws PalisadeError PAYLOAD_TOO_LARGE when it is larger than the limit once unpacked
 */
export async function recognize(path: string, named: string | null, maxMib: number): Promise<{ report: Report } | { reason: string }> {
  try {
    const report = await openReport(reportSource(path, maxMib), named);
    await report.probe();
    return { report };
  } catch (error) {
    if (error instanceof NotOfFormat) return { reason: error.message };
    if (isDamage(error)) return { reason: damageOf(error) };
    if (error instanceof ReportTooLarge) throw new PalisadeError('PAYLOAD_TOO_LARGE', error.message, { max_mib: maxMib });
    throw error;
  }
}
