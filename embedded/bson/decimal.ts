import { Decimal128 } from 'bson';

/** An exact decimal: sign, digits and power of ten. */
export interface ExactDecimal {
  readonly negative: boolean;
  readonly digits: bigint;
  readonly exponent: number;
}

/** What Decimal128 bytes hold: an exact decimal, an infinity or not a number. */
export function readDecimal(bytes: Uint8Array): ExactDecimal | 'NaN' | 'Infinity' | '-Infinity' {
  const text = new Decimal128(Uint8Array.from(bytes)).toString();
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return text;
  const parts = /^(-?)(\d*)(?:\.(\d*))?(?:E([+-]?\d+))?$/.exec(text);
  if (!parts) return 'NaN';
  const fraction = parts[3] ?? '';
  return {
    negative: parts[1] === '-',
    digits: BigInt(`${parts[2] ?? ''}${fraction}` || '0'),
    exponent: Number(parts[4] ?? 0) - fraction.length,
  };
}

const view = new DataView(new ArrayBuffer(8));

/** The next double towards zero from a positive one. */
function previousDouble(value: number): number {
  if (value === Infinity) return Number.MAX_VALUE;
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

/** A positive double as mantissa * 2^power. */
function doubleParts(value: number): { mantissa: bigint; power: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return exponent === 0 ? { mantissa: fraction, power: -1074 } : { mantissa: fraction | (1n << 52n), power: exponent - 1075 };
}

/** A magnitude as the largest double not above it, and the exact rest as decimal digits times ten to `point - digits.length`. */
export interface SplitMagnitude {
  readonly double: number;
  readonly digits: string;
  readonly point: number;
}

/** Splits digits * 10^exponent (not negative) so that magnitudes of different number types compare exactly. */
export function splitMagnitude(digits: bigint, exponent: number): SplitMagnitude {
  const subtract = (double: number): { rest: bigint; scale: number } => {
    const { mantissa, power } = doubleParts(double);
    const tens = Math.max(0, -exponent);
    const twos = Math.max(0, -power);
    const value = digits * 10n ** BigInt(Math.max(0, exponent)) * 2n ** BigInt(twos);
    const other = mantissa * 2n ** BigInt(Math.max(0, power)) * 10n ** BigInt(tens);
    return { rest: (value - other) * 5n ** BigInt(twos), scale: tens + twos };
  };
  let double = Number(`${digits}e${exponent}`);
  if (double === Infinity) double = Number.MAX_VALUE;
  let { rest, scale } = subtract(double);
  if (rest < 0n) {
    double = previousDouble(double);
    ({ rest, scale } = subtract(double));
  }
  if (rest === 0n) return { double, digits: '', point: 0 };
  const text = rest.toString();
  return { double, digits: text.replace(/0+$/, ''), point: text.length - scale };
}
