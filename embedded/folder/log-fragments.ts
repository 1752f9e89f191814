// How LevelDB's logs, and its manifest, are written: in records, each of them whole in a block or in fragments. (doc/log_format.md of LevelDB)
import { crc32c, masked } from './crc32c.js';

const BLOCK = 32 * 1024;
export const HEADER = 7;
/** A record is whole, or its first, middle or last fragment. */
export const FULL = 1;
export const FIRST = 2;
export const LAST = 4;

export interface Fragment {
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

/** The fragment at an offset, or undefined when there is none that matches its checksum. */
export function fragmentAt(bytes: Buffer, offset: number): Fragment | undefined {
  const start = offset + HEADER;
  if (start > bytes.length || start > blockEnd(offset)) return undefined;
  const end = start + bytes.readUInt16LE(offset + 4);
  const type = bytes[offset + 6]!;
  if (type < FULL || type > LAST || end > bytes.length || end > blockEnd(offset)) return undefined;
  return masked(crc32c(bytes, offset + 6, end)) === bytes.readUInt32LE(offset) ? { type, start, end } : undefined;
}

const blockEnd = (offset: number): number => (Math.floor(offset / BLOCK) + 1) * BLOCK;

/** Where the next fragment begins: what is left of a block that holds no header is padding. */
export const nextOffset = (end: number): number => (blockEnd(end) - end < HEADER ? blockEnd(end) : end);
