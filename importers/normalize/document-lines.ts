import { readJsonLines } from '../readers/lines/json-lines.js';
import { bufferSource, readHead } from '../readers/source.js';
import { NotOfFormat, type ImportItem, type ImportOptions, type ReportFormat } from '../types.js';
import { isOfLines } from './record-list.js';

/** The format, of which a file may also hold a report a line: each line is read for itself, as a report of the format. */
export const withDocumentLines = (format: ReportFormat): ReportFormat => ({
  ...format,
  async *read(source, options) {
    if (!isOfLines(await readHead(source))) {
      yield* format.read(source, options);
      return;
    }
    for await (const line of readJsonLines(source))
      if (line.kind === 'value') yield* readDocument(format, line.value, line.position, options);
      else yield line;
  },
});

async function* readDocument(
  format: ReportFormat,
  document: unknown,
  position: string,
  options: ImportOptions,
): AsyncGenerator<ImportItem> {
  try {
    yield* format.read(bufferSource(Buffer.from(JSON.stringify(document))), options);
  } catch (error) {
    if (!(error instanceof NotOfFormat)) throw error;
    yield { kind: 'broken', position, reason: error.message };
  }
}
