import { outlineJson, type JsonOutline } from '../readers/json/outline.js';
import { readJson } from '../readers/json/records.js';
import { readJsonLines } from '../readers/lines/json-lines.js';
import { bufferSource, readHead } from '../readers/source.js';
import { NotOfFormat, type ReportFormat, type ReportSource } from '../types.js';
import { isOfLines } from './record-list.js';

/**
 * The format, of which a file may also hold several reports: one a line, or an array of them. Each is read for itself, as a report of the format; the
 * first must be one.
 * @param isList whether the outline of a head shows an array of whole reports; without it no array does
 */
export const withDocuments = (format: ReportFormat, isList: (outline: JsonOutline) => boolean = () => false): ReportFormat => ({
  ...format,
  detect: (head) => format.detect(head) || isList(outlineJson(head)),
  async *read(source, options) {
    const documents = await documentsOf(source, isList);
    if (documents === undefined) {
      yield* format.read(source, options);
      return;
    }
    let isKnown = false;
    for await (const found of documents) {
      if (found.kind === 'array') continue;
      if (found.kind !== 'value') {
        yield { kind: found.kind, position: found.position, reason: found.reason };
        continue;
      }
      try {
        yield* format.read(bufferSource(Buffer.from(JSON.stringify(found.value))), options);
      } catch (error) {
        if (!isKnown || !(error instanceof NotOfFormat)) throw error;
        yield { kind: 'broken', position: found.position, reason: error.message };
      }
      isKnown = true;
    }
  },
});

/** The reports of a file that holds several; undefined of one that is a report itself. */
async function documentsOf(source: ReportSource, isList: (outline: JsonOutline) => boolean) {
  const head = await readHead(source);
  if (isOfLines(head)) return readJsonLines(source);
  return isList(outlineJson(head)) ? readJson(source, ['$[*]']) : undefined;
}
