import { deserialize, type Document } from 'bson';
import { elementsOf, type RawValue, readInt32 } from './raw.js';
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

/** Only these top-level fields of a raw document, as a JavaScript object. */
export function decodeFields(bytes: Buffer, names: ReadonlySet<string>): Document {
  return decodeDocument(documentOf(elementsOf(bytes).filter((e) => names.has(e.name))));
}
