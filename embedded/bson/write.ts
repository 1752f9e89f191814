import { deserialize, serialize, type Document } from 'bson';
import { BSON, elementsOf, type RawElement, RawValue } from './raw.js';

/** A raw document of a JavaScript object. */
export function toRaw(document: Document): Buffer {
  const bytes = serialize(document, { ignoreUndefined: true });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The raw value of a JavaScript value. */
export function rawValueOf(value: unknown): RawValue {
  return elementsOf(toRaw({ v: value }))[0]!.value;
}

/** A JavaScript value of a raw value, with int64 as Long so that nothing is lost. */
export function fromRawValue(value: RawValue): unknown {
  return deserialize(documentOf([{ name: 'v', value }]), { promoteLongs: false })['v'];
}

/** The whole buffer of a document as a value. */
export function rawDocument(bytes: Buffer): RawValue {
  return new RawValue(BSON.object, bytes, 0, bytes.length);
}

/** The number of bytes that elements take in a document. */
function sizeOfElements(elements: readonly RawElement[]): number {
  let size = 5;
  for (const { name, value } of elements) size += 2 + Buffer.byteLength(name) + value.end - value.off;
  return size;
}

/** A document made of elements, byte for byte. */
export function documentOf(elements: readonly RawElement[]): Buffer {
  const size = sizeOfElements(elements);
  const out = Buffer.allocUnsafe(size);
  out.writeInt32LE(size, 0);
  let at = 4;
  for (const { name, value } of elements) {
    out[at++] = value.type;
    at += out.write(name, at, 'utf8');
    out[at++] = 0;
    value.buf.copy(out, at, value.off, value.end);
    at += value.end - value.off;
  }
  out[at] = 0;
  return out;
}

/** An array or object value made of elements. */
export function containerOf(type: number, elements: readonly RawElement[]): RawValue {
  const bytes = documentOf(elements);
  return new RawValue(type, bytes, 0, bytes.length);
}

/** An array value of raw values. */
export function arrayOf(values: readonly RawValue[]): RawValue {
  return containerOf(
    BSON.array,
    values.map((value, i) => ({ name: String(i), value })),
  );
}

/** Builds a reply: fields of a JavaScript object after raw elements. */
export function replyOf(elements: readonly RawElement[], rest: Document): Buffer {
  return documentOf([...elements, ...elementsOf(toRaw(rest))]);
}

/** A document as an element's value. */
export function documentElement(name: string, bytes: Buffer): RawElement {
  return { name, value: rawDocument(bytes) };
}
