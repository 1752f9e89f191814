import { BSON, childrenOf, readInt32, type RawValue } from '../bson/raw.js';
import { readWholeNumber } from '../bson/number.js';
import { CommandError } from '../errors.js';

/** The mask of a $bits… argument: a number, a Binary, or an array of bit positions. */
export function readBitMask(operator: string, value: RawValue): bigint {
  if (value.type === BSON.array) {
    return childrenOf(value).reduce((mask, element) => {
      const position = readWholeNumber(element.value);
      if (position === undefined || position < 0)
        throw new CommandError(2, `bit positions must be an integer >= 0 but got a different value in ${operator}`);
      return mask | (1n << BigInt(position));
    }, 0n);
  }
  if (value.type === BSON.binData) return littleEndian(value.buf.subarray(value.off + 5, value.off + 5 + readInt32(value.buf, value.off)));
  const mask = readWholeNumber(value);
  if (mask === undefined || mask < 0) throw new CommandError(9, `${operator} takes a position array, a Binary or a non-negative integer`);
  return BigInt(mask);
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

/** The bits of a value, or undefined when it is neither a whole number nor a Binary. Negative numbers are sign-extended. */
export function bitsOf(value: RawValue): bigint | undefined {
  if (value.type === BSON.binData) return littleEndian(value.buf.subarray(value.off + 5, value.end));
  if (value.type === BSON.long) return value.buf.readBigInt64LE(value.off);
  const number = readWholeNumber(value);
  return number === undefined ? undefined : BigInt(number);
}
