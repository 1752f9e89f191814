import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { type Entry, decodeRecord } from './entries.js';
import { JournalCorruptError } from './errors.js';
import { examineRecord, HEADER_SIZE } from './record.js';

const CHUNK = 4 * 1024 * 1024;

/**
 * Applies every entry of a file. With `mayBeTorn` (the journal that was being written) a last record that is not all there is
 * cut off, and the answer is a warning that says so. Throws JournalCorruptError for any other damage.
 */
export function replayFile(path: string, mayBeTorn: boolean, apply: (entry: Entry) => void): string | undefined {
  const fd = openSync(path, mayBeTorn ? 'r+' : 'r');
  try {
    const size = fstatSync(fd).size;
    let buf: Buffer = Buffer.allocUnsafeSlow(CHUNK);
    let length = 0;
    let at = 0;
    let fileOffset = 0;
    while (fileOffset < size) {
      const state = examineRecord(buf, at, length, size - fileOffset);
      if (state === 'more') {
        ({ buf, length } = readMore(fd, buf, at, length, fileOffset));
        at = 0;
      } else if (state.kind === 'whole') {
        decodeRecord(buf.subarray(at + HEADER_SIZE, state.end), apply);
        fileOffset += state.end - at;
        at = state.end;
      } else if (state.kind === 'torn' && mayBeTorn) {
        ftruncateSync(fd, fileOffset);
        return `${path}: the last record was not written completely; ${size - fileOffset} bytes at offset ${fileOffset} were cut off`;
      } else throw new JournalCorruptError(path, fileOffset, state.kind === 'torn' ? 'the file ends within a record' : state.reason);
    }
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** Moves what is left of a buffer to its front and fills the rest; the buffer grows when one record is larger than it. */
function readMore(fd: number, buf: Buffer, at: number, length: number, fileOffset: number): { buf: Buffer; length: number } {
  const left = length - at;
  const target = left < buf.length ? buf : Buffer.allocUnsafeSlow(buf.length * 2);
  buf.copy(target, 0, at, length);
  let filled = left;
  while (filled < target.length) {
    const read = readSync(fd, target, filled, target.length - filled, fileOffset + filled);
    if (read === 0) break;
    filled += read;
  }
  return { buf: target, length: filled };
}
