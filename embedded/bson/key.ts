// Values as strings of bytes that compare, with < and >, in MongoDB's order across types (after MongoDB's KeyString).
// Index keys, sorts, comparisons and sets all go through this one encoding, so that they cannot disagree.
import { BSON, cstringEnd, readInt32, readInt64, sizeOf } from './raw.js';
import { kindOf, NUMBER } from './kind.js';
import { readDecimal, splitMagnitude, type SplitMagnitude } from './decimal.js';

let out: Buffer = Buffer.allocUnsafeSlow(4096);
let at = 0;

function reserve(size: number): void {
  if (at + size <= out.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, at + size));
  out.copy(larger, 0, 0, at);
  out = larger;
}

/** Bytes ended by a zero; a zero inside is followed by 255, so that the shorter text comes first. */
function putText(buf: Uint8Array, off: number, end: number): void {
  reserve((end - off) * 2 + 2);
  for (let i = off; i < end; i++) {
    const byte = buf[i]!;
    out[at++] = byte;
    if (byte === 0) out[at++] = 255;
  }
  out[at++] = 0;
}

function putBytes(buf: Uint8Array, off: number, end: number): void {
  reserve(end - off);
  for (let i = off; i < end; i++) out[at++] = buf[i]!;
}

const scratch = new DataView(new ArrayBuffer(8));
const scratchBytes = new Uint8Array(scratch.buffer);

function putMagnitude(negative: boolean, { double, digits, point }: SplitMagnitude): void {
  out[at++] = negative ? NUMBER.negative : NUMBER.positive;
  const start = at;
  scratch.setFloat64(0, double);
  putBytes(scratchBytes, 0, 8);
  if (digits === '') out[at++] = 0;
  else {
    reserve(digits.length + 8);
    out[at++] = 1;
    out.writeUInt16BE(point + 0x8000, at);
    at += 2;
    at += out.write(digits, at, 'latin1');
    out[at++] = 0;
  }
  if (negative) invert(start);
}

function putNumber(value: number): void {
  reserve(16);
  if (Number.isNaN(value)) out[at++] = NUMBER.nan;
  else if (value === 0) out[at++] = NUMBER.zero;
  else {
    const negative = value < 0;
    out[at++] = negative ? NUMBER.negative : NUMBER.positive;
    scratch.setFloat64(0, negative ? -value : value);
    const mask = negative ? 255 : 0;
    for (let i = 0; i < 8; i++) out[at++] = scratchBytes[i]! ^ mask;
    out[at++] = mask;
  }
}

function putLong(buf: Buffer, off: number): void {
  const value = readInt64(buf, off);
  if (Number.isSafeInteger(value)) return putNumber(value);
  const exact = buf.readBigInt64LE(off);
  putMagnitude(exact < 0n, splitMagnitude(exact < 0n ? -exact : exact, 0));
}

function putDecimal(bytes: Uint8Array): void {
  const decimal = readDecimal(bytes);
  if (typeof decimal === 'string') putNumber(Number(decimal));
  else if (decimal.digits === 0n) putNumber(0);
  else putMagnitude(decimal.negative, splitMagnitude(decimal.digits, decimal.exponent));
}

function putInt64(buf: Uint8Array, off: number, flip: number): void {
  for (let i = 7; i >= 0; i--) out[at++] = buf[off + i]! ^ (i === 7 ? flip : 0);
}

function putChildren(buf: Buffer, off: number, named: boolean): void {
  let pos = off + 4;
  for (;;) {
    const type = buf[pos]!;
    if (type === 0) break;
    const nameEnd = cstringEnd(buf, pos + 1);
    const end = nameEnd + 1 + sizeOf(type, buf, nameEnd + 1);
    if (named) {
      reserve(1);
      out[at++] = kindOf(type);
      putText(buf, pos + 1, nameEnd);
    }
    putValue(type, buf, nameEnd + 1, end);
    pos = end;
  }
  reserve(1);
  out[at++] = 0;
}

function putValue(type: number, buf: Buffer, off: number, end: number): void {
  reserve(24);
  out[at++] = kindOf(type);
  switch (type) {
    case BSON.string:
    case BSON.symbol:
    case BSON.code:
      return putText(buf, off + 4, end - 1);
    case BSON.int:
      return putNumber(readInt32(buf, off));
    case BSON.double:
      return putNumber(buf.readDoubleLE(off));
    case BSON.long:
      return putLong(buf, off);
    case BSON.decimal:
      return putDecimal(buf.subarray(off, end));
    case BSON.objectId:
      return putBytes(buf, off, end);
    case BSON.bool:
      out[at++] = buf[off]!;
      return;
    case BSON.date:
      return putInt64(buf, off, 0x80);
    case BSON.timestamp:
      return putInt64(buf, off, 0);
    case BSON.object:
      return putChildren(buf, off, true);
    case BSON.array:
      return putChildren(buf, off, false);
    case BSON.binData:
      for (let i = 3; i >= 0; i--) out[at++] = buf[off + i]!;
      return putBytes(buf, off + 4, end);
    case BSON.regex: {
      const pattern = cstringEnd(buf, off);
      putText(buf, off, pattern);
      return putText(buf, pattern + 1, end - 1);
    }
    case BSON.dbPointer:
    case BSON.codeWithScope:
      return putText(buf, off, end);
    default:
  }
}

function invert(start: number): void {
  for (let i = start; i < at; i++) out[i] = out[i]! ^ 255;
}

/** Starts a key of several components: call `addToKey` for each, then `finishKey`. */
export function startKey(): void {
  at = 0;
}

/** Adds one value to the key; a descending component is inverted. Type 0 (missing) counts as null. */
export function addToKey(type: number, buf: Buffer, off: number, end: number, descending: boolean): void {
  const start = at;
  putValue(type, buf, off, end);
  if (descending) invert(start);
}

/** The key made since `startKey`, a one-byte string. */
export function finishKey(): string {
  return out.toString('latin1', 0, at);
}

/** The key of one value. */
export function keyOf(type: number, buf: Buffer, off: number, end: number): string {
  at = 0;
  putValue(type, buf, off, end);
  return out.toString('latin1', 0, at);
}

/** The bytes of a record number at the end of an index key: seven bits each. */
export const RECORD_NUMBER_SIZE = 7;

/** Adds a record number (up to 2^49) to the key being made: equal values lie in the order of insertion. */
export function putRecordNumber(recordNumber: number): void {
  reserve(RECORD_NUMBER_SIZE);
  let left = recordNumber;
  for (let i = RECORD_NUMBER_SIZE - 1; i >= 0; i--) {
    out[at + i] = left % 128;
    left = Math.floor(left / 128);
  }
  at += RECORD_NUMBER_SIZE;
}
