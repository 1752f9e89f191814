import { Readable } from 'node:stream';
import type { ReportSource } from '../../types.js';

const ASSIGNMENT = /^\s*scoutsuite_results\s*=\s*/;
/** The assignment stands at the beginning, in so many characters. */
const LOOKED_AT = 200;

/** A report without what makes it a script. */
export function withoutAssignment(source: ReportSource): ReportSource {
  async function* chunks(): AsyncGenerator<Buffer> {
    let begun = false;
    let held = Buffer.alloc(0);
    for await (const chunk of source.open() as AsyncIterable<Buffer>) {
      if (begun) {
        yield chunk;
        continue;
      }
      held = Buffer.concat([held, chunk]);
      if (held.length < LOOKED_AT) continue;
      begun = true;
      yield stripped(held);
    }
    if (!begun) yield stripped(held);
  }
  return { ...source, open: () => Readable.from(chunks(), { objectMode: false }) };
}

function stripped(bytes: Buffer): Buffer {
  const match = ASSIGNMENT.exec(
    bytes
      .subarray(0, LOOKED_AT)
      .toString('latin1')
      .replace(/^\u00ef\u00bb\u00bf/, '   '),
  );
  return match ? bytes.subarray(match[0].length) : bytes;
}
