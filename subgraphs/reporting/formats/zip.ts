import { createDeflateRaw, crc32 } from 'node:zlib';

/** A file of an archive: its name, and its text in pieces. */
export interface ZipEntry {
  readonly name: string;
  readonly text: AsyncIterable<string> | Iterable<string>;
}

/** Without ZIP64 a size has 32 bits. */
const MOST = 0xffff_ffff;
/** 1 January 1980, so that the same contents make the same bytes. */
const [TIME, DATE] = [0, 0x21];
/** Sizes follow the data; names are UTF-8. */
const FLAGS = 0x0808;
const VERSION = 20;
const DEFLATED = 8;

/** A file did not fit into an archive of the old kind. */
export class ArchiveTooLarge extends Error {}

interface Written {
  readonly name: Buffer;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** Numbers of 2 (`H`) or 4 (`I`) bytes, the low ones first. */
function numbers(...fields: readonly (readonly ['H' | 'I', number])[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [kind]) => sum + (kind === 'H' ? 2 : 4), 0));
  let at = 0;
  for (const [kind, value] of fields) at = kind === 'H' ? bytes.writeUInt16LE(value, at) : bytes.writeUInt32LE(value, at);
  return bytes;
}

/**
 * A ZIP archive (APPNOTE 6.3) while its files come: each is deflated as it is read, and nothing is held but what the directory at the end says.
 * @throws ArchiveTooLarge past 4 GiB
 */
export async function* zipped(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const written: Written[] = [];
  let offset = 0;
  const moved = <T extends Uint8Array>(bytes: T): T => {
    offset += bytes.length;
    if (offset > MOST) throw new ArchiveTooLarge('The file is larger than 4 GiB');
    return bytes;
  };
  for await (const { name: text, text: pieces } of entries) {
    const name = Buffer.from(text);
    const start = offset;
    const empty = ['I', 0] as const;
    const head = numbers(['I', 0x04034b50], ['H', VERSION], ['H', FLAGS], ['H', DEFLATED], ['H', TIME], ['H', DATE], empty, empty, empty);
    yield moved(Buffer.concat([head, numbers(['H', name.length], ['H', 0]), name]));
    const sums = { crc: 0, size: 0 };
    const before = offset;
    for await (const bytes of deflated(pieces, sums)) yield moved(bytes);
    const [packed, { crc, size }] = [offset - before, sums];
    if (size > MOST) throw new ArchiveTooLarge('The file is larger than 4 GiB');
    yield moved(numbers(['I', 0x08074b50], ['I', crc], ['I', packed], ['I', size]));
    written.push({ name, crc, packed, size, offset: start });
  }
  const directory = offset;
  for (const { name, crc, packed, size, offset: start } of written) {
    const head = numbers(['I', 0x02014b50], ['H', VERSION], ['H', VERSION], ['H', FLAGS], ['H', DEFLATED], ['H', TIME], ['H', DATE]);
    const sizes = numbers(
      ['I', crc],
      ['I', packed],
      ['I', size],
      ['H', name.length],
      ['H', 0],
      ['H', 0],
      ['H', 0],
      ['H', 0],
      ['I', 0],
      ['I', start],
    );
    yield moved(Buffer.concat([head, sizes, name]));
  }
  const length = offset - directory;
  const count = written.length;
  yield numbers(['I', 0x06054b50], ['H', 0], ['H', 0], ['H', count], ['H', count], ['I', length], ['I', directory], ['H', 0]);
}

async function* deflated(pieces: ZipEntry['text'], sums: { crc: number; size: number }): AsyncGenerator<Uint8Array> {
  const deflate = createDeflateRaw({ level: 3 });
  const fed = (async () => {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      sums.crc = crc32(bytes, sums.crc);
      sums.size += bytes.length;
      if (!deflate.write(bytes)) await new Promise<void>((resolve) => deflate.once('drain', resolve));
    }
    deflate.end();
  })().catch((error: Error) => deflate.destroy(error));
  yield* deflate as AsyncIterable<Uint8Array>;
  await fed;
}
