import type { ImportItem, ImportOptions, ReportFormat } from './types.js';

/** The format of an archive that holds reports of several formats. */
export const ARCHIVE = 'archive';

/** An upload whose format is known: one report, or an archive of reports. */
export interface Report {
  /** The format's name; ARCHIVE for an archive of reports of several. */
  readonly format: string;
  /** The formats of the reports in it: one, or those of an archive. */
  readonly formats: readonly ReportFormat[];
  /** When the facts were observed, where the report tells it; of several reports the earliest time. */
  observedAt(): Promise<Date | undefined>;
  /** Reads as far as shows that there is something to read. Throws NotOfFormat when there is nothing. */
  probe(): Promise<void>;
  /**
   * The items of the report; of an archive, those of its entries one after the other, each behind a `part` item. Throws NotOfFormat when it
   * is not of its format.
   * @param onBytes told of the bytes that are read, decompressed
   */
  read(options: ImportOptions, onBytes?: (bytes: number) => void): AsyncIterable<ImportItem>;
}
