import type { Document } from 'bson';
import { BSON, RawValue, readInt64, someValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { bracketOf, compareKeys } from '../bson/key-range.js';
import { kindOf } from '../bson/kind.js';
import { readPlainNumber } from '../bson/number.js';
import type { CompareOperator, Filter, PathFilter } from './ast.js';
import { bitsOf } from './bits.js';
import { compileExpression } from './expression.js';
import { someAtPath, type VisitValue } from './path.js';

/** Tells whether the document at an offset of a buffer matches. */
export type Matcher = (buf: Buffer, docOff: number) => boolean;

/** Compiles a parsed filter to a function over raw documents. `variables` are those that $expr may refer to. */
export function compileFilter(filter: Filter, variables?: Document): Matcher {
  switch (filter.kind) {
    case 'and': {
      const matchers = filter.filters.map((f) => compileFilter(f, variables));
      if (matchers.length === 1) return matchers[0]!;
      return (buf, off) => {
        for (const matches of matchers) if (!matches(buf, off)) return false;
        return true;
      };
    }
    case 'or':
    case 'nor': {
      const matchers = filter.filters.map((f) => compileFilter(f, variables));
      const wanted = filter.kind === 'or';
      return (buf, off) => matchers.some((matches) => matches(buf, off)) === wanted;
    }
    case 'not': {
      const matches = compileFilter(filter.filter, variables);
      return (buf, off) => !matches(buf, off);
    }
    case 'constant':
      return () => filter.value;
    case 'expression':
      return compileExpression(filter.expression, variables);
    default:
      return compilePath(filter);
  }
}

function compilePath(filter: PathFilter): Matcher {
  const visit = compileValueTest(filter);
  const expand = filter.kind !== 'size' && filter.kind !== 'elemMatchObject' && filter.kind !== 'elemMatchValue';
  return (buf, off) => someAtPath(buf, off, filter.path, 0, expand, visit);
}

/** Compiles the test that a filter makes of each single value at its path. */
export function compileValueTest(filter: PathFilter): VisitValue {
  switch (filter.kind) {
    case 'compare':
      return filter.operator === '$eq' ? equalTo(filter.value) : ordered(filter.operator, filter.value);
    case 'in':
      return within(filter.values);
    case 'exists':
      return (type) => type !== BSON.missing;
    case 'type':
      return (type) => filter.types.has(type);
    case 'size':
      return (type, buf, off) => type === BSON.array && lengthOf(buf, off) === filter.size;
    case 'mod':
      return (type, buf, off) => {
        const value = readPlainNumber(type, buf, off);
        return value !== undefined && Number.isFinite(value) && Math.trunc(value) % filter.divisor === filter.remainder;
      };
    case 'regex': {
      const same = equalTo(filter.value);
      return (type, buf, off, end) =>
        type === BSON.string || type === BSON.symbol
          ? filter.regex.test(buf.toString('utf8', off + 4, end - 1))
          : type === BSON.regex && same(type, buf, off, end);
    }
    case 'bits':
      return (type, buf, off, end) => {
        const bits = type === BSON.missing ? undefined : bitsOf(new RawValue(type, buf, off, end));
        if (bits === undefined) return false;
        const found = (filter.set ? bits : ~bits) & filter.mask;
        return filter.all ? found === filter.mask : found !== 0n;
      };
    case 'elemMatchObject': {
      const matches = compileFilter(filter.filter);
      return (type, buf, off) =>
        type === BSON.array && someValue(buf, off, (t, o) => (t === BSON.object || t === BSON.array) && matches(buf, o));
    }
    case 'elemMatchValue': {
      const test = compileSingleValue(filter.filter);
      return (type, buf, off) => type === BSON.array && someValue(buf, off, (t, o, e) => test(t, buf, o, e));
    }
  }
}

/** A filter of operators applied to one value rather than to a path. */
function compileSingleValue(filter: Filter): VisitValue {
  if (filter.kind === 'and' || filter.kind === 'or') {
    const tests = filter.filters.map(compileSingleValue);
    return filter.kind === 'and' ? (t, b, o, e) => tests.every((x) => x(t, b, o, e)) : (t, b, o, e) => tests.some((x) => x(t, b, o, e));
  }
  if (filter.kind === 'not') {
    const test = compileSingleValue(filter.filter);
    return (t, b, o, e) => !test(t, b, o, e);
  }
  if (filter.kind === 'constant') return () => filter.value;
  if (filter.kind === 'nor' || filter.kind === 'expression') return () => false;
  return compileValueTest(filter);
}

function lengthOf(buf: Buffer, off: number): number {
  let length = 0;
  someValue(buf, off, () => {
    length++;
    return false;
  });
  return length;
}

const FIXED = new Set<number>([BSON.string, BSON.objectId, BSON.date, BSON.bool, BSON.binData, BSON.timestamp]);

function equalTo(value: RawValue): VisitValue {
  const wanted = value.type;
  if (wanted === BSON.null) return (type) => type === BSON.null || type === BSON.missing;
  const number = readPlainNumber(wanted, value.buf, value.off);
  const key = keyOf(wanted, value.buf, value.off, value.end);
  const kind = kindOf(wanted);
  if (number !== undefined && !Number.isNaN(number)) {
    return (type, buf, off, end) => {
      const found = readPlainNumber(type, buf, off);
      return found === undefined ? kindOf(type) === kind && type !== BSON.missing && keyOf(type, buf, off, end) === key : found === number;
    };
  }
  const bytes = Buffer.from(value.bytes);
  const length = bytes.length;
  if (FIXED.has(wanted)) {
    return (type, buf, off, end) => {
      if (type !== wanted || end - off !== length)
        return type === BSON.symbol && wanted === BSON.string && keyOf(type, buf, off, end) === key;
      for (let i = length - 1; i >= 0; i--) if (buf[off + i] !== bytes[i]) return false;
      return true;
    };
  }
  return (type, buf, off, end) => type !== BSON.missing && kindOf(type) === kind && keyOf(type, buf, off, end) === key;
}

function within(values: readonly RawValue[]): VisitValue {
  if (values.length === 1) return equalTo(values[0]!);
  const keys = new Set(values.map((v) => keyOf(v.type, v.buf, v.off, v.end)));
  return (type, buf, off, end) => keys.has(keyOf(type, buf, off, end));
}

type Ordering = Exclude<CompareOperator, '$eq'>;

function accepts(operator: Ordering, order: number): boolean {
  switch (operator) {
    case '$gt':
      return order > 0;
    case '$gte':
      return order >= 0;
    case '$lt':
      return order < 0;
    case '$lte':
      return order <= 0;
  }
}

/** A comparison: only values of the same kind are in order with the given one, but MinKey and MaxKey are with all. */
function ordered(operator: Ordering, value: RawValue): VisitValue {
  const inclusive = operator === '$gte' || operator === '$lte';
  if (value.type === BSON.null) return (type) => inclusive && (type === BSON.null || type === BSON.missing);
  const number = value.type === BSON.date ? readInt64(value.buf, value.off) : readPlainNumber(value.type, value.buf, value.off);
  const kind = kindOf(value.type);
  const key = keyOf(value.type, value.buf, value.off, value.end);
  const everything = value.type === BSON.minKey || value.type === BSON.maxKey;
  if (number !== undefined && Number.isNaN(number))
    return (type, buf, off, end) => inclusive && type !== BSON.missing && keyOf(type, buf, off, end) === key;
  const { low } = bracketOf(value.type);
  return (type, buf, off, end) => {
    if (type === BSON.missing && !everything) return false;
    if (!everything && kindOf(type) !== kind) return false;
    const found = number === undefined ? undefined : type === BSON.date ? readInt64(buf, off) : readPlainNumber(type, buf, off);
    if (found !== undefined && number !== undefined)
      return !Number.isNaN(found) && accepts(operator, found < number ? -1 : found > number ? 1 : 0);
    const foundKey = keyOf(type, buf, off, end);
    return (everything || foundKey >= low) && accepts(operator, compareKeys(foundKey, key));
  };
}
