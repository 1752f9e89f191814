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
  for (const { name, value, start } of elements)
    size += start === undefined ? 2 + Buffer.byteLength(name) + value.end - value.off : value.end - start;
  return size;
}

/** A document made of elements, byte for byte. Neighbours that lie side by side in their buffer are copied at once. */
export function documentOf(elements: readonly RawElement[]): Buffer {
  const size = sizeOfElements(elements);
  const out = Buffer.allocUnsafe(size);
  let at = out.writeInt32LE(size, 0);
  for (let i = 0; i < elements.length; i++) {
    const { name, value, start } = elements[i]!;
    let from = value.off;
    let end = value.end;
    if (start === undefined) {
      out[at++] = value.type;
      at += out.write(name, at, 'utf8');
      out[at++] = 0;
    } else {
      from = start;
      for (let next = elements[i + 1]; next && next.start === end && next.value.buf === value.buf; next = elements[i + 1]) {
        end = next.value.end;
        i++;
      }
    }
    at += copyBytes(value.buf, out, at, from, end);
  }
  out[at] = 0;
  return out;
}

/** Short runs are quicker copied byte by byte than by a call. */
function copyBytes(from: Buffer, to: Buffer, at: number, start: number, end: number): number {
  const length = end - start;
  if (length > 48) from.copy(to, at, start, end);
  else for (let i = 0; i < length; i++) to[at + i] = from[start + i]!;
  return length;
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
