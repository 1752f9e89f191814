import { Readable } from 'node:stream';
import type { ReportSource } from '../../types.js';
import { OPEN_OBJECT } from './bytes.js';
import { JsonDepth } from './depth.js';

/** Objects one behind the other, a line each or not, as the list in JSON that they stand for. */
export function asList(source: ReportSource): ReportSource {
  async function* list(): AsyncGenerator<Buffer | string> {
    const depth = new JsonDepth();
    let isFirst = true;
    yield '[';
    for await (const chunk of source.open() as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = 0; at < chunk.length; at++) {
        const isBegin = depth.value === 0 && chunk[at] === OPEN_OBJECT;
        depth.take(chunk[at]!);
        if (!isBegin) continue;
        if (!isFirst) {
          yield chunk.subarray(from, at);
          yield ',';
          from = at;
        }
        isFirst = false;
      }
      yield chunk.subarray(from);
    }
    // what is cut in the middle stays cut
    if (depth.value === 0) yield ']';
  }
  return { ...(source.maxBytes !== undefined && { maxBytes: source.maxBytes }), open: () => Readable.from(list(), { objectMode: false }) };
}
