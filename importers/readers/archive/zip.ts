import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from 'yauzl';
import { DamagedBytes, ReportTooLarge, streamSource } from '../source.js';
import { NotOfFormat, type StoredBytes } from '../../types.js';
import { ARCHIVE_LIMITS, isLeftover, labelOf, type ArchiveItem } from './entry.js';

/** Compression methods that people meet, for messages. */
const METHODS: Readonly<Record<number, string>> = { 9: 'Deflate64', 12: 'bzip2', 14: 'LZMA', 93: 'Zstandard', 95: 'XZ', 98: 'PPMd' };
const STORED = 0;
const DEFLATED = 8;
const UTF8_FLAG = 0x800;

class StoredReader extends RandomAccessReader {
  constructor(private readonly bytes: StoredBytes) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.bytes.range(start, end);
  }
}

/** Whether bytes begin a zip archive, be it an empty one. */
export const isZip = (head: Buffer): boolean =>
  head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));

/**
 * The entries of a zip archive (PKWARE APPNOTE), by its directory. Encrypted ones are refused, and so are those that unpack to far more than
 * they are. Throws NotOfFormat when there is no whole directory, and ReportTooLarge when its entries are larger together.
 */
export async function* zipItems(
  stored: StoredBytes,
  maxBytes: number,
  maxEntries: number = ARCHIVE_LIMITS.maxEntries,
): AsyncGenerator<ArchiveItem, void> {
  const zip = await openZip(stored);
  if (zip.entryCount > maxEntries)
    throw new NotOfFormat(`the zip archive has ${zip.entryCount} entries, and at most ${maxEntries} are read`);
  let left = maxBytes;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      if (isLeftover(name)) continue;
      const reason = refusalOf(entry);
      left -= reason === undefined ? entry.uncompressedSize : 0;
      if (left < 0) throw new ReportTooLarge(maxBytes);
      if (reason !== undefined) yield { kind: 'refused', name, reason };
      else yield { kind: 'entry', name, source: streamSource(() => Readable.from(bytesOf(zip, entry)), { maxBytes, filename: name }) };
    }
  } catch (error) {
    if (error instanceof ReportTooLarge || isOfSystem(error)) throw error;
    yield { kind: 'truncated', reason: `the directory of the zip archive is damaged (${messageOf(error)})` };
  }
}

async function openZip(stored: StoredBytes): Promise<ZipFile> {
  try {
    // names stay bytes: what they say is checked by nobody, because nothing is done by them
    return await fromRandomAccessReaderPromise(new StoredReader(stored), stored.size, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
    });
  } catch (error) {
    if (isOfSystem(error)) throw error;
    throw new NotOfFormat(`the zip archive is cut or damaged (${messageOf(error)})`);
  }
}

/** The name, by the encoding that its flag tells: UTF-8, else the one byte a character of old, of which ASCII is kept. */
function nameOf({ fileNameRaw, generalPurposeBitFlag }: Entry): string {
  return labelOf(fileNameRaw.toString((generalPurposeBitFlag & UTF8_FLAG) === 0 ? 'latin1' : 'utf8').replaceAll('\\', '/'));
}

function refusalOf(entry: Entry): string | undefined {
  const { compressionMethod, compressedSize, uncompressedSize } = entry;
  if (entry.isEncrypted()) return 'is encrypted: pack it without a password';
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED)
    return `is packed by a method that is not read (${METHODS[compressionMethod] ?? compressionMethod}): pack it by Deflate`;
  const { freeBytes, maxRatio } = ARCHIVE_LIMITS;
  if (uncompressedSize > freeBytes && uncompressedSize > maxRatio * compressedSize)
    return `unpacks to more than ${maxRatio} times its size`;
  return undefined;
}

/** The bytes of an entry. Whatever is wrong with them is damage, which readers know; that the file cannot be read is not. */
async function* bytesOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0;
  try {
    const stream = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    if (isOfSystem(error)) throw error;
    throw new DamagedBytes(messageOf(error));
  }
  if (sum !== entry.crc32) throw new DamagedBytes('the checksum is another');
}

/** Whether the file could not be read, which is no fault of the archive. */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
