import { Readable } from 'node:stream';
import type { ReportSource } from '../../importers/types.js';

/** A source that gives its bytes in pieces of a size; 0 for all at once. */
export function inPieces(text: string | Buffer, size: number): ReportSource {
  const bytes = Buffer.from(text);
  function* pieces() {
    if (size === 0) yield bytes;
    else for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return { open: () => Readable.from(pieces(), { objectMode: false }) };
}

/** All items of a reader. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
