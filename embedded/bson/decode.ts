import { deserialize, Long, type Document } from 'bson';
import { type RawValue, readInt32 } from './raw.js';
import { documentOf } from './write.js';

const OPTIONS = { promoteLongs: true, promoteBuffers: false } as const;

/** A raw document as a JavaScript object: int64 becomes a number when that is exact, and stays Long when not. */
export function decodeDocument(buf: Buffer, off = 0): Document {
  return deserialize(buf.subarray(off, off + readInt32(buf, off)), OPTIONS);
}

/** A raw value as a JavaScript value. */
export function decodeValue(value: RawValue): unknown {
  return decodeDocument(documentOf([{ name: 'v', value }]))['v'];
}

/** Whether a value is a Long that a JavaScript number cannot hold. */
export function isBigLong(value: unknown): value is Long {
  return Long.isLong(value);
}
