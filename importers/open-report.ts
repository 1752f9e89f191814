import { archiveKind, firstElement } from './readers/archive/archive.js';
import { asList } from './readers/json/as-list.js';
import { countedSource, readBytes, textOfHead } from './readers/source.js';
import { ArchiveReport } from './archive-report.js';
import { detectFormat } from './detect.js';
import { lookalikeOf } from './lookalikes.js';
import { importers } from './registry.js';
import { ARCHIVE, type Report } from './report.js';
import { DETECT_BYTES, NotOfFormat, type ReportFormat, type ReportSource } from './types.js';

/**
 * Finds out what an upload is: a report, an archive or a list of reports, or elements of a report that is a list, one behind the other. Throws NotOfFormat, with a message that says what it looks like, when nothing in it can be read; and what the
 * source throws (ReportTooLarge, file errors).
 * @param format the name of its format where that is known: another is not looked for, and of an archive the entries of others are left out
 */
export async function openReport(source: ReportSource, format: string | null = null): Promise<Report> {
  const kind = await archiveKind(source);
  if (kind !== undefined) return ArchiveReport.open(source, kind, format === ARCHIVE ? null : format);
  const named = importers.find(({ name }) => name === format);
  if (format !== null && format !== ARCHIVE && named === undefined) throw new NotOfFormat(`the report is not of the format ${format}`);
  const head = await readBytes(source, DETECT_BYTES);
  const text = textOfHead(head);
  const formatOf = (beginning: string) => (named === undefined ? detectFormat(beginning) : named.detect(beginning) ? named : undefined);
  const importer = formatOf(text);
  if (importer === undefined && formatOf(firstElement(text) ?? '') !== undefined)
    return ArchiveReport.open(source, 'list', named === undefined ? null : named.name);
  if (format === ARCHIVE) throw new NotOfFormat(`the report is not of the format ${format}`);
  if (importer !== undefined) return plainReport(source, importer);
  const ofElements = isObject(text) ? formatOf(`[${text}`) : undefined;
  if (ofElements !== undefined) return plainReport(asList(source), ofElements);
  if (named !== undefined) return plainReport(source, named);
  throw new NotOfFormat(`the report is of no format that is read: ${lookalikeOf(head)}`);
}

const isObject = (text: string): boolean => /^\s*\{/.test(text);

function plainReport(source: ReportSource, importer: ReportFormat): Report {
  return {
    format: importer.name,
    formats: [importer],
    observedAt: async () => importer.observedAt?.(source),
    probe: async () => {
      for await (const _first of importer.read(source, {})) return;
    },
    read: (options, onBytes) => importer.read(onBytes === undefined ? source : countedSource(source, onBytes), options),
  };
}
