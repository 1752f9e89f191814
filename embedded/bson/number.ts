import { BSON, readInt32, readInt64, type RawValue } from './raw.js';
import { readDecimal } from './decimal.js';

/** Whether a BSON type is one of the four number types. */
export function isNumberType(type: number): boolean {
  return type === BSON.int || type === BSON.double || type === BSON.long || type === BSON.decimal;
}

/** An int32, double or exactly representable int64 as a JavaScript number; undefined for anything else. */
export function readPlainNumber(type: number, buf: Buffer, off: number): number | undefined {
  if (type === BSON.int) return readInt32(buf, off);
  if (type === BSON.double) return buf.readDoubleLE(off);
  if (type !== BSON.long) return undefined;
  const value = readInt64(buf, off);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Any number value as the nearest double; undefined when it is not a number. */
export function readNearestNumber(value: RawValue): number | undefined {
  if (value.type === BSON.long) return Number(value.buf.readBigInt64LE(value.off));
  if (value.type === BSON.decimal) {
    const decimal = readDecimal(value.bytes);
    if (typeof decimal === 'string') return Number(decimal);
    return Number(`${decimal.negative ? '-' : ''}${decimal.digits}e${decimal.exponent}`);
  }
  return readPlainNumber(value.type, value.buf, value.off);
}

/** A number value that is a whole number (or, with `truncate`, its whole part); undefined otherwise. */
export function readWholeNumber(value: RawValue, truncate = false): number | undefined {
  const number = readNearestNumber(value);
  if (number === undefined || !Number.isFinite(number)) return undefined;
  if (Number.isInteger(number)) return number;
  return truncate ? Math.trunc(number) : undefined;
}
