import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreDamagedError } from '../folder/errors.js';
import { type Entry, decodeRecord } from './entries.js';
import { examineRecord, HEADER_SIZE } from './record.js';

const CHUNK = 4 * 1024 * 1024;

/** What a file of records holds, record by record, and whether its end is not all there. */
export interface ReadRecord {
  readonly entries: readonly Entry[];
  /** Where a last record begins that was not written completely. */
  readonly tornAt?: number;
}

/**
 * Reads a snapshot, or a journal of a release that had journals.
 * @param mayBeTorn it is the journal that was being written: its last record need not be all there
 * @throws StoreDamagedError for any other damage
 */
export function* readRecords(path: string, mayBeTorn: boolean): Generator<ReadRecord> {
  const fd = openSync(path, 'r');
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
        const entries: Entry[] = [];
        decodeRecord(buf.subarray(at + HEADER_SIZE, state.end), (entry) => entries.push(entry));
        yield { entries };
        fileOffset += state.end - at;
        at = state.end;
      } else if (state.kind === 'torn' && mayBeTorn) {
        yield { entries: [], tornAt: fileOffset };
        return;
      } else throw new StoreDamagedError(state.kind === 'torn' ? 'the file ends within a record' : state.reason, path, fileOffset);
    }
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
