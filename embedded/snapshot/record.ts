import { crc32 } from 'node:zlib';

/** Before each payload: its length and its CRC-32, both little-endian. */
export const HEADER_SIZE = 8;
/** An empty BSON document. */
const SMALLEST_PAYLOAD = 5;

/** Puts the header before a payload that starts at HEADER_SIZE of the buffer. */
export function sealRecord(record: Buffer): void {
  const payload = record.subarray(HEADER_SIZE);
  record.writeUInt32LE(payload.length, 0);
  record.writeUInt32LE(crc32(payload), 4);
}

/** What lies at an offset of a journal: a whole record, one that was cut off while it was written, or damage. */
export type RecordState =
  { readonly kind: 'whole'; readonly end: number } | { readonly kind: 'torn' } | { readonly kind: 'damaged'; readonly reason: string };

/**
 * Examines the record at `at` of the `length` bytes in `buf`. `remaining` counts all bytes of the file from `at`.
 * A BSON payload starts with its own length, so that a damaged length can be distinguished from a record that is not all there.
 */
export function examineRecord(buf: Buffer, at: number, length: number, remaining: number): RecordState | 'more' {
  if (remaining < HEADER_SIZE) return { kind: 'torn' };
  if (length - at < HEADER_SIZE + 4 && remaining >= HEADER_SIZE + 4) return 'more';
  const size = buf.readUInt32LE(at);
  const inner = remaining >= HEADER_SIZE + 4 ? buf.readUInt32LE(at + HEADER_SIZE) : size;
  const end = HEADER_SIZE + size;
  if (size === 0 && inner === 0) return { kind: 'torn' };
  if (size !== inner || size < SMALLEST_PAYLOAD)
    return { kind: 'damaged', reason: `the record's length ${size} is not that of its payload` };
  if (end > remaining) return { kind: 'torn' };
  if (at + end > length) return 'more';
  if (crc32(buf.subarray(at + HEADER_SIZE, at + end)) === buf.readUInt32LE(at + 4)) return { kind: 'whole', end: at + end };
  return end === remaining ? { kind: 'torn' } : { kind: 'damaged', reason: 'the checksum does not match' };
}
