import { readJsonLines } from '../readers/lines/json-lines.js';
import { bufferSource, readHead } from '../readers/source.js';
import { NotOfFormat, type ReportFormat } from '../types.js';
import { isOfLines } from './record-list.js';

/** The format, of which a file may also hold a report a line: each line is read for itself, as a report of the format; the first must be one. */
export const withDocumentLines = (format: ReportFormat): ReportFormat => ({
  ...format,
  async *read(source, options) {
    if (!isOfLines(await readHead(source))) {
      yield* format.read(source, options);
      return;
    }
    let isKnown = false;
    for await (const line of readJsonLines(source)) {
      if (line.kind !== 'value') {
        yield line;
        continue;
      }
      try {
        yield* format.read(bufferSource(Buffer.from(JSON.stringify(line.value))), options);
      } catch (error) {
        if (!isKnown || !(error instanceof NotOfFormat)) throw error;
        yield { kind: 'broken', position: line.position, reason: error.message };
      }
      isKnown = true;
    }
  },
});
