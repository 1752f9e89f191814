import { Decimal128, Double, Int32, Long } from 'bson';
import { BSON, type RawValue } from '../bson/raw.js';
import { isNumberType, readNearestNumber } from '../bson/number.js';
import { readDecimal } from '../bson/decimal.js';
import { fromRawValue, rawValueOf } from '../bson/write.js';
import { CommandError, notSupported } from '../errors.js';
import { typeName } from '../query/types.js';

const MAX_LONG = 2n ** 63n;

function wholeOf(value: RawValue): bigint {
  return value.type === BSON.long ? value.buf.readBigInt64LE(value.off) : BigInt(value.buf.readInt32LE(value.off));
}

function wholeResult(result: bigint, keepInt: boolean): RawValue {
  if (result >= MAX_LONG || result < -MAX_LONG)
    throw new CommandError(2, 'Failed to apply the update: the result overflows a 64-bit integer');
  const fitsInt = result >= -0x8000_0000n && result <= 0x7fff_ffffn;
  return rawValueOf(keepInt && fitsInt ? new Int32(Number(result)) : Long.fromBigInt(result));
}

function decimalOf(value: RawValue): { digits: bigint; exponent: number } {
  if (value.type === BSON.double) throw notSupported('Arithmetic of a double with a decimal');
  if (value.type !== BSON.decimal) return { digits: wholeOf(value), exponent: 0 };
  const decimal = readDecimal(value.bytes);
  if (typeof decimal === 'string') throw notSupported(`Arithmetic with the decimal ${decimal}`);
  return { digits: decimal.negative ? -decimal.digits : decimal.digits, exponent: decimal.exponent };
}

function decimalResult(digits: bigint, exponent: number): RawValue {
  if ((digits < 0n ? -digits : digits).toString().length > 34) throw notSupported('A decimal result of more than 34 digits');
  return rawValueOf(Decimal128.fromString(`${digits}E${exponent}`));
}

/** The sum or product of two numbers, in MongoDB's result type: int32 grows to int64, a double wins over both, a decimal over all. */
export function arithmetic(operator: '$inc' | '$mul', current: RawValue | undefined, argument: RawValue, path: string): RawValue {
  if (!isNumberType(argument.type)) {
    throw new CommandError(
      14,
      `Cannot ${operator === '$inc' ? 'increment' : 'multiply'} with non-numeric argument: {${path}: ${JSON.stringify(fromRawValue(argument))}}`,
    );
  }
  if (!current) return operator === '$inc' ? argument : arithmetic('$mul', rawValueOf(new Int32(0)), argument, path);
  if (!isNumberType(current.type)) {
    throw new CommandError(
      14,
      `Cannot apply ${operator} to a value of non-numeric type. The field '${path}' is of type ${typeName(current.type)}`,
    );
  }
  if (current.type === BSON.decimal || argument.type === BSON.decimal) {
    const a = decimalOf(current);
    const b = decimalOf(argument);
    if (operator === '$mul') return decimalResult(a.digits * b.digits, a.exponent + b.exponent);
    const exponent = Math.min(a.exponent, b.exponent);
    return decimalResult(a.digits * 10n ** BigInt(a.exponent - exponent) + b.digits * 10n ** BigInt(b.exponent - exponent), exponent);
  }
  if (current.type === BSON.double || argument.type === BSON.double) {
    const a = readNearestNumber(current) ?? NaN;
    const b = readNearestNumber(argument) ?? NaN;
    return rawValueOf(new Double(operator === '$inc' ? a + b : a * b));
  }
  const a = wholeOf(current);
  const b = wholeOf(argument);
  return wholeResult(operator === '$inc' ? a + b : a * b, current.type === BSON.int && argument.type === BSON.int);
}

/** The $bit operator: and, or, xor of whole numbers. */
export function bitwise(current: RawValue | undefined, operation: string, operand: RawValue): RawValue {
  const whole = (v: RawValue): boolean => v.type === BSON.int || v.type === BSON.long;
  if (!whole(operand)) throw new CommandError(2, 'The $bit modifier field must be an Integer(32/64 bit)');
  if (current && !whole(current)) throw new CommandError(2, 'Cannot apply $bit to a value of non-integral type');
  const a = current ? wholeOf(current) : 0n;
  const b = wholeOf(operand);
  const keepInt = operand.type === BSON.int && (!current || current.type === BSON.int);
  if (operation === 'and') return wholeResult(a & b, keepInt);
  if (operation === 'or') return wholeResult(a | b, keepInt);
  if (operation === 'xor') return wholeResult(a ^ b, keepInt);
  throw new CommandError(2, `The $bit modifier only supports 'and', 'or', and 'xor', not '${operation}'`);
}
