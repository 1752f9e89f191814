import { Readable } from 'node:stream';
import { bufferSource, damageOf, DamagedBytes, isDamage, streamSource } from '../source.js';
import { DETECT_BYTES, NotOfFormat, type ReportSource } from '../../types.js';
import { ARCHIVE_LIMITS, isLeftover, labelOf, type ArchiveItem } from './entry.js';
import { ByteQueue } from './byte-queue.js';

const BLOCK = 512;
const MAX_NAME_RECORD = 64 * 1024;
/** Headers for each entry: its own, and those of a long name and of other records before it. */
const HEADERS_PER_ENTRY = 4;

interface Header {
  name: string;
  size: number;
  /** `0` a file, `5` a folder, `x` and `g` records of POSIX, `L` a long name of GNU, `K` that of a link, others links and devices. */
  type: string;
}

/** Whether bytes begin a tar archive: its first block has the right sum. */
export const isTar = (head: Buffer): boolean => head.length >= BLOCK && head[0] !== 0 && sumFits(head.subarray(0, BLOCK));

/**
 * The entries of a tar archive (POSIX ustar and pax, GNU), in their order. Throws NotOfFormat past the number of entries that are read, and
 * what the source throws; damage ends the archive.
 */
export async function* tarItems(source: ReportSource): AsyncGenerator<ArchiveItem, void> {
  const queue = new ByteQueue(source.open());
  const entries = new EntrySources(source, queue);
  let longName: string | undefined;
  let [headers, count] = [0, 0];
  try {
    for (let header = await nextHeader(queue); header !== undefined; header = await nextHeader(queue)) {
      const { size, type } = header;
      const next = queue.offset + Math.ceil(size / BLOCK) * BLOCK;
      const isRecord = 'xgLK'.includes(type);
      if (!isRecord) count += 1;
      if (++headers > HEADERS_PER_ENTRY * ARCHIVE_LIMITS.maxEntries || count > ARCHIVE_LIMITS.maxEntries)
        throw new NotOfFormat(`the tar archive has more than ${ARCHIVE_LIMITS.maxEntries} entries, which are the most that are read`);
      if (type === 'x' || type === 'L') {
        if (size > MAX_NAME_RECORD) throw new DamagedBytes('a name is too long');
        longName = nameIn(type, await queue.take(size)) ?? longName;
      } else if (!isRecord) {
        const name = labelOf(longName ?? header.name);
        longName = undefined;
        if (type === '0' && !isLeftover(name)) yield await entries.item(name, size);
        else if (type !== '0' && type !== '5') yield { kind: 'refused', name, reason: 'is a link or a device, not a file' };
      }
      await queue.skip(next - queue.offset);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield { kind: 'truncated', reason: damageOf(error) };
  } finally {
    queue.close();
  }
}

async function nextHeader(queue: ByteQueue): Promise<Header | undefined> {
  const block = await queue.upTo(BLOCK);
  // two empty blocks end an archive, and some have none
  if (block.length === 0 || block.every((byte) => byte === 0)) {
    if (block.length === 0 && queue.isDamaged) throw queue.whyEnded;
    return undefined;
  }
  if (block.length < BLOCK) throw queue.whyEnded;
  if (!sumFits(block)) throw new DamagedBytes('an entry begins where none is');
  const prefix = block.toString('latin1', 257, 262) === 'ustar' && block[263] === 0x30 ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  const type = String.fromCharCode(block[156] as number);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: numberAt(block, 124, 12),
    type: type === '\0' || type === '7' ? '0' : type,
  };
}

/** Whether the sum of a block's bytes is the one that it states, its own place counted as spaces. */
function sumFits(block: Buffer): boolean {
  let sum = 8 * 0x20;
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte;
  return /^[ 0]*[0-7]+[ \0]/.test(block.toString('latin1', 148, 156)) && numberAt(block, 148, 8) === sum;
}

function numberAt(block: Buffer, at: number, length: number): number {
  // what octal digits cannot say is binary, behind a byte that is no digit
  if (block[at] === 0x80) return Number(block.readBigUInt64BE(at + length - 8));
  const digits = /^[ \0]*([0-7]*)/.exec(block.toString('latin1', at, at + length))?.[1] ?? '';
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

const textAt = (block: Buffer, at: number, length: number): string => block.toString('utf8', at, at + length).replace(/\0.*$/s, '');

/** The name that a record for the next entry gives; undefined when it gives none. */
function nameIn(type: string, record: Buffer): string | undefined {
  if (type === 'L') return record.toString('utf8').replace(/\0.*$/s, '');
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(record.toString('utf8'))?.[1];
}

/** Makes the sources of an archive's entries. */
class EntrySources {
  private replayed = 0;

  constructor(
    private readonly archive: ReportSource,
    private readonly queue: ByteQueue,
  ) {}

  /** The entry whose bytes are the next ones. */
  async item(name: string, size: number): Promise<ArchiveItem> {
    const { maxBytes, stored } = this.archive;
    const { offset } = this.queue;
    const options = { filename: name, ...(maxBytes !== undefined && { maxBytes }) };
    if (size <= ARCHIVE_LIMITS.keptBytes) {
      const bytes = await this.queue.upTo(size);
      const damage = bytes.length < size ? this.queue.whyEnded : undefined;
      return { kind: 'entry', name, source: streamSource(() => Readable.from(kept(bytes, damage)), options) };
    }
    // what is not compressed is read at its place
    const range = this.archive.size === undefined ? undefined : stored?.range;
    if (range !== undefined)
      return { kind: 'entry', name, source: streamSource(() => Readable.from(stretchOf(range(offset, offset + size), 0, size)), options) };
    this.replayed += offset;
    if (this.replayed > ARCHIVE_LIMITS.maxReplays * (maxBytes ?? Number.POSITIVE_INFINITY))
      return {
        kind: 'refused',
        name,
        reason: 'is large and stands behind many large ones in a compressed archive: send it in a zip archive',
      };
    const source = streamSource(() => Readable.from(stretchOf(this.archive.open(), offset, size)), options);
    return { kind: 'entry', name, source, head: bufferSource(await this.queue.upTo(Math.min(size, DETECT_BYTES)), options) };
  }
}

async function* stretchOf(stream: Readable, offset: number, size: number): AsyncGenerator<Buffer> {
  const queue = new ByteQueue(stream);
  try {
    await queue.skip(offset);
    yield* queue.stretch(size);
  } finally {
    queue.close();
  }
}

function* kept(bytes: Buffer, damage: Error | undefined): Generator<Buffer> {
  yield bytes;
  if (damage !== undefined) throw damage;
}
