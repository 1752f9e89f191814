// Reading BSON in place. Documents stay bytes; only the fields that a query, an index or an update names are looked at.

/** The BSON element types by name (bsonspec.org). `missing` is ours: no such field. */
export const BSON = {
  missing: 0,
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  undefined: 6,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  dbPointer: 12,
  code: 13,
  symbol: 14,
  codeWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  maxKey: 127,
  minKey: 255,
} as const;

/** The bytes of one value: its BSON type and where it lies in a buffer. */
export class RawValue {
  constructor(
    readonly type: number,
    readonly buf: Buffer,
    readonly off: number,
    readonly end: number,
  ) {}

  /** The value's bytes, not copied. */
  get bytes(): Buffer {
    return this.buf.subarray(this.off, this.end);
  }
}

/** A value with its field name. */
export interface RawElement {
  readonly name: string;
  readonly value: RawValue;
  /** Where the whole element (type, name, value) starts in the value's buffer, when it lies there under this name. */
  readonly start?: number;
}

export class CorruptBsonError extends Error {}

/** A little-endian int32. */
export function readInt32(buf: Uint8Array, off: number): number {
  return buf[off]! | (buf[off + 1]! << 8) | (buf[off + 2]! << 16) | (buf[off + 3]! << 24);
}

/** The number of bytes that a value of this type takes at `off`. Throws CorruptBsonError for an unknown type. */
export function sizeOf(type: number, buf: Uint8Array, off: number): number {
  switch (type) {
    case BSON.string:
    case BSON.code:
    case BSON.symbol:
      return 4 + readInt32(buf, off);
    case BSON.object:
    case BSON.array:
    case BSON.codeWithScope:
      return readInt32(buf, off);
    case BSON.int:
      return 4;
    case BSON.double:
    case BSON.date:
    case BSON.long:
    case BSON.timestamp:
      return 8;
    case BSON.objectId:
      return 12;
    case BSON.bool:
      return 1;
    case BSON.null:
    case BSON.undefined:
    case BSON.minKey:
    case BSON.maxKey:
      return 0;
    case BSON.binData:
      return 5 + readInt32(buf, off);
    case BSON.decimal:
      return 16;
    case BSON.regex: {
      const pattern = cstringEnd(buf, off);
      return cstringEnd(buf, pattern + 1) + 1 - off;
    }
    case BSON.dbPointer:
      return 4 + readInt32(buf, off) + 12;
    default:
      throw new CorruptBsonError(`unknown BSON type ${type}`);
  }
}

/** The offset of the zero byte that ends the C string at `off`. */
export function cstringEnd(buf: Uint8Array, off: number): number {
  let end = off;
  while (buf[end] !== 0) {
    if (end >= buf.length) throw new CorruptBsonError('unterminated name');
    end++;
  }
  return end;
}

/** The offset of the element (its type byte) with this name in the document at `docOff`, or -1. */
export function findElement(buf: Uint8Array, docOff: number, name: Uint8Array): number {
  const length = name.length;
  const first = length > 0 ? name[0]! : 0;
  let pos = docOff + 4;
  for (;;) {
    const type = buf[pos]!;
    if (type === 0 || pos >= buf.length) return -1;
    let end = pos + 1;
    if (buf[end] === first) {
      let i = 0;
      while (i < length && buf[end + i] === name[i]) i++;
      if (i === length && buf[end + i] === 0) return pos;
    }
    while (buf[end] !== 0) end++;
    pos = end + 1 + sizeOf(type, buf, end + 1);
  }
}

/** The value of a top-level field, or undefined. */
export function getField(buf: Buffer, docOff: number, name: Uint8Array): RawValue | undefined {
  const at = findElement(buf, docOff, name);
  if (at < 0) return undefined;
  const off = at + 2 + name.length;
  const type = buf[at]!;
  return new RawValue(type, buf, off, off + sizeOf(type, buf, off));
}

/** Calls `visit` for each value of an object or array until it answers true; answers whether it did. */
export function someValue(buf: Buffer, docOff: number, visit: (type: number, off: number, end: number, index: number) => boolean): boolean {
  let pos = docOff + 4;
  for (let index = 0; ; index++) {
    const type = buf[pos]!;
    if (type === 0 || pos >= buf.length) return false;
    const off = cstringEnd(buf, pos + 1) + 1;
    pos = off + sizeOf(type, buf, off);
    if (visit(type, off, pos, index)) return true;
  }
}

/** Field names repeat: short ones are kept, by their bytes, so that reading one makes no new string. */
const names = new Map<number, { readonly bytes: Buffer; readonly text: string }>();
const MAX_NAMES = 20_000;

function nameAt(buf: Buffer, start: number, end: number): string {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + buf[i]!) | 0;
  const known = names.get(hash);
  if (known && known.bytes.length === end - start) {
    let i = 0;
    while (i < known.bytes.length && known.bytes[i] === buf[start + i]) i++;
    if (i === known.bytes.length) return known.text;
  }
  const text = buf.toString('utf8', start, end);
  if (!known && names.size < MAX_NAMES && end - start <= 64) names.set(hash, { bytes: Buffer.from(buf.subarray(start, end)), text });
  return text;
}

/** The elements of the document or array at `docOff`, in order. */
export function elementsOf(buf: Buffer, docOff = 0): RawElement[] {
  const elements: RawElement[] = [];
  let pos = docOff + 4;
  for (;;) {
    const type = buf[pos]!;
    if (type === 0 || pos >= buf.length) return elements;
    const nameEnd = cstringEnd(buf, pos + 1);
    const off = nameEnd + 1;
    const end = off + sizeOf(type, buf, off);
    elements.push({ name: nameAt(buf, pos + 1, nameEnd), value: new RawValue(type, buf, off, end), start: pos });
    pos = end;
  }
}

/** The names of the top-level fields that hold an object or an array. */
export function nestedFields(buf: Buffer): string[] {
  const fields: string[] = [];
  for (let pos = 4; ;) {
    const type = buf[pos]!;
    if (type === 0 || pos >= buf.length) return fields;
    const nameEnd = cstringEnd(buf, pos + 1);
    if (type === BSON.object || type === BSON.array) fields.push(nameAt(buf, pos + 1, nameEnd));
    pos = nameEnd + 1 + sizeOf(type, buf, nameEnd + 1);
  }
}

/** The elements of an object or array value. */
export function childrenOf(value: RawValue): RawElement[] {
  return elementsOf(value.buf, value.off);
}

/** The text of a string, symbol or code value. */
export function readString(value: RawValue): string {
  return value.buf.toString('utf8', value.off + 4, value.end - 1);
}

/** A date in milliseconds, or an int64, as a number: exact up to 2^53. */
export function readInt64(buf: Uint8Array, off: number): number {
  return readInt32(buf, off + 4) * 0x1_0000_0000 + (readInt32(buf, off) >>> 0);
}
