import { Double, Int32, Long } from 'bson';
import { BSON, readInt32, type RawValue } from '../bson/raw.js';
import { isNumberType, readNearestNumber, readPlainNumber } from '../bson/number.js';
import { keyOf } from '../bson/key.js';
import { arrayOf, rawValueOf } from '../bson/write.js';
import { notSupported } from '../errors.js';

/** Gathers the values of one $group field. Missing values are undefined. */
export interface Accumulator {
  add(value: RawValue | undefined): void;
  /** The result; undefined leaves the field out. */
  finish(): RawValue | undefined;
}

const NULL = rawValueOf(null);
const encode = (v: RawValue): string => keyOf(v.type, v.buf, v.off, v.end);

/** A sum in MongoDB's result type: the widest number type that was added. */
class Sum implements Accumulator {
  #doubles = 0;
  #safe = 0;
  #large = 0n;
  #type: number = BSON.int;

  add(value: RawValue | undefined): void {
    if (!value || !isNumberType(value.type)) return;
    if (value.type === BSON.decimal) throw notSupported('A sum of decimals');
    if (value.type === BSON.double) {
      this.#type = BSON.double;
      this.#doubles += value.buf.readDoubleLE(value.off);
      return;
    }
    if (value.type === BSON.long && this.#type === BSON.int) this.#type = BSON.long;
    const sum = this.#safe + (readPlainNumber(value.type, value.buf, value.off) ?? NaN);
    if (Number.isSafeInteger(sum)) this.#safe = sum;
    else this.#large += value.type === BSON.long ? value.buf.readBigInt64LE(value.off) : BigInt(readInt32(value.buf, value.off));
  }

  finish(): RawValue | undefined {
    const whole = this.#large + BigInt(this.#safe);
    if (this.#type === BSON.double) return rawValueOf(new Double(this.#doubles + Number(whole)));
    if (whole >= 2n ** 63n || whole < -(2n ** 63n)) return rawValueOf(new Double(Number(whole)));
    const fitsInt = whole >= -0x8000_0000n && whole <= 0x7fff_ffffn;
    return rawValueOf(this.#type === BSON.int && fitsInt ? new Int32(Number(whole)) : Long.fromBigInt(whole));
  }
}

class Average implements Accumulator {
  #sum = 0;
  #count = 0;

  add(value: RawValue | undefined): void {
    if (!value || !isNumberType(value.type)) return;
    if (value.type === BSON.decimal) throw notSupported('An average of decimals');
    this.#sum += readNearestNumber(value) ?? 0;
    this.#count++;
  }

  finish(): RawValue | undefined {
    return this.#count === 0 ? NULL : rawValueOf(new Double(this.#sum / this.#count));
  }
}

class Extreme implements Accumulator {
  #best: RawValue | undefined;
  #key = '';

  constructor(private readonly greatest: boolean) {}

  add(value: RawValue | undefined): void {
    if (!value || value.type === BSON.null) return;
    const key = encode(value);
    if (this.#best && (this.greatest ? key <= this.#key : key >= this.#key)) return;
    this.#best = value;
    this.#key = key;
  }

  finish(): RawValue | undefined {
    return this.#best ?? NULL;
  }
}

class Edge implements Accumulator {
  #value: RawValue | undefined;
  #seen = false;

  constructor(private readonly last: boolean) {}

  add(value: RawValue | undefined): void {
    if (this.#seen && !this.last) return;
    this.#value = value;
    this.#seen = true;
  }

  finish(): RawValue | undefined {
    return this.#value ?? NULL;
  }
}

class Push implements Accumulator {
  readonly #values: RawValue[] = [];

  add(value: RawValue | undefined): void {
    if (value) this.#values.push(value);
  }

  finish(): RawValue | undefined {
    return arrayOf(this.#values);
  }
}

class AddToSet implements Accumulator {
  readonly #values = new Map<string, RawValue>();

  add(value: RawValue | undefined): void {
    if (!value) return;
    const key = encode(value);
    if (!this.#values.has(key)) this.#values.set(key, value);
  }

  finish(): RawValue | undefined {
    return arrayOf([...this.#values.values()]);
  }
}

/** The accumulators that work on raw values, by name. */
export const RAW_ACCUMULATORS: ReadonlyMap<string, () => Accumulator> = new Map<string, () => Accumulator>([
  ['$sum', () => new Sum()],
  ['$avg', () => new Average()],
  ['$min', () => new Extreme(false)],
  ['$max', () => new Extreme(true)],
  ['$first', () => new Edge(false)],
  ['$last', () => new Edge(true)],
  ['$push', () => new Push()],
  ['$addToSet', () => new AddToSet()],
]);
