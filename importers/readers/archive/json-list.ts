import { bufferSource, damageOf, isDamage } from '../source.js';
import { NotOfFormat, type ReportSource } from '../../types.js';
import { COMMA } from '../json/bytes.js';
import { JsonDepth } from '../json/depth.js';
import { ARCHIVE_LIMITS, type ArchiveItem } from './entry.js';

const SPACE = 0x20;
/** How deep the elements of the list lie. */
const IN_LIST = 1;

/** The text behind the bracket of a JSON list of objects, with which its first element begins; undefined for all else. */
export function firstElement(head: string): string | undefined {
  const begin = /^\s*\[\s*(?=\{)/.exec(head);
  return begin === null ? undefined : head.slice(begin[0].length);
}

/** One element as it comes in. */
class Element {
  private readonly pieces: Buffer[] = [];
  private size = 0;

  add(piece: Buffer): void {
    this.size += piece.length;
    if (this.size <= ARCHIVE_LIMITS.keptBytes) this.pieces.push(piece);
    else this.pieces.length = 0;
  }

  item(name: string): ArchiveItem {
    if (this.size > ARCHIVE_LIMITS.keptBytes)
      return { kind: 'refused', name, reason: `is larger than ${ARCHIVE_LIMITS.keptBytes / 1024 ** 2} MiB: send it alone` };
    return { kind: 'entry', name, source: bufferSource(Buffer.concat(this.pieces)) };
  }
}

/**
 * The reports in a JSON list, in its order, one in memory at a time. Throws NotOfFormat past the number of entries that are read, and what the source
 * throws; damage ends the list.
 */
export async function* listItems(source: ReportSource): AsyncGenerator<ArchiveItem, void> {
  const depth = new JsonDepth();
  let element = new Element();
  let count = 0;
  try {
    for await (const chunk of source.open() as AsyncIterable<Buffer>) {
      let from = depth.value > IN_LIST ? 0 : -1;
      for (let at = 0; at < chunk.length; at++) {
        const before = depth.value;
        const isPlain = depth.take(chunk[at]!);
        if (isPlain && before <= IN_LIST && chunk[at]! > SPACE && chunk[at] !== COMMA) {
          yield { kind: 'truncated', reason: `${count} reports are followed by what is none` };
          return;
        }
        if (depth.value > IN_LIST && before === IN_LIST) from = at;
        if (depth.value !== IN_LIST || before <= IN_LIST) continue;
        element.add(chunk.subarray(from, at + 1));
        from = -1;
        if (++count > ARCHIVE_LIMITS.maxEntries)
          throw new NotOfFormat(`the list has more than ${ARCHIVE_LIMITS.maxEntries} reports, which are the most that are read`);
        yield element.item(`[${count - 1}]`);
        element = new Element();
      }
      if (from >= 0) element.add(chunk.subarray(from));
    }
    if (depth.value > 0) yield { kind: 'truncated', reason: 'the list ends before its end' };
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield { kind: 'truncated', reason: damageOf(error) };
  }
}
