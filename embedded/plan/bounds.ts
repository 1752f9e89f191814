import { BSON, type RawValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { afterPrefix, bracketOf, compareKeys, invertedKey } from '../bson/key-range.js';
import { rawValueOf } from '../bson/write.js';
import { conjunctsOf, type Filter, type PathFilter } from '../query/ast.js';
import { literalPrefix } from '../query/regex.js';
import type { KeyRange } from '../storage/index.js';

/** One end of an interval: a key, and whether values that start with it belong to the interval. */
interface Bound {
  readonly key: string;
  readonly inclusive: boolean;
}

/** The values of one field that a condition allows, as encoded keys. */
export interface Interval {
  readonly low: Bound;
  readonly high: Bound;
}

/** What one condition of a filter says about one field, in the terms of an index. */
export interface FieldBounds {
  readonly path: string;
  readonly intervals: readonly Interval[];
  /** Whether each interval is a single value. */
  readonly points: boolean;
  /** Whether a key within the intervals is proof that the condition holds (for a field without arrays). */
  readonly exact: boolean;
  /** Whether a document without the field may match. */
  readonly allowsMissing: boolean;
  readonly source: Filter;
}

const encode = (v: RawValue): string => keyOf(v.type, v.buf, v.off, v.end);
const point = (key: string): Interval => ({ low: { key, inclusive: true }, high: { key, inclusive: true } });

/** Types whose encoded equality is the matcher's equality. An array also matches as an element, a regex as a pattern. */
const boundable = (v: RawValue): boolean => v.type !== BSON.array && v.type !== BSON.regex && v.type !== BSON.undefined;

/** The bounds that the conditions of a filter put on fields; conditions that bound nothing are left out. */
export function boundsOf(filter: Filter): FieldBounds[] {
  return conjunctsOf(filter).flatMap((f) => {
    const bounds = fieldBounds(f);
    return bounds ? [bounds] : [];
  });
}

function fieldBounds(filter: Filter): FieldBounds | undefined {
  if (filter.kind === 'compare') return compareBounds(filter);
  if (filter.kind === 'in') {
    if (!filter.values.every(boundable)) return undefined;
    const keys = [...new Set(filter.values.map(encode))].sort(compareKeys);
    const allowsMissing = filter.values.some((v) => v.type === BSON.null);
    return { path: filter.path.text, intervals: keys.map(point), points: true, exact: !allowsMissing, allowsMissing, source: filter };
  }
  if (filter.kind === 'regex') {
    const prefix = literalPrefix(filter.regex);
    if (prefix === undefined) return undefined;
    const key = encode(rawValueOf(prefix)).slice(0, -1);
    const regex: Interval = {
      low: { key: bracketOf(BSON.regex).low, inclusive: true },
      high: { key: bracketOf(BSON.regex).low, inclusive: true },
    };
    return { path: filter.path.text, intervals: [point(key), regex], points: false, exact: false, allowsMissing: false, source: filter };
  }
  if (filter.kind === 'elemMatchValue') {
    const inner = conjunctsOf(filter.filter).map(fieldBounds);
    const first = inner.find((b) => b !== undefined && !b.allowsMissing);
    return first && { ...first, path: filter.path.text, exact: false, source: filter };
  }
  return undefined;
}

function compareBounds(filter: PathFilter & { kind: 'compare' }): FieldBounds | undefined {
  const { value, operator } = filter;
  if (!boundable(value) || value.type === BSON.minKey || value.type === BSON.maxKey) return undefined;
  const key = encode(value);
  const path = filter.path.text;
  const allowsMissing = value.type === BSON.null;
  if (operator === '$eq' || allowsMissing) {
    if (operator === '$gt' || operator === '$lt')
      return { path, intervals: [], points: true, exact: true, allowsMissing: false, source: filter };
    return { path, intervals: [point(key)], points: true, exact: !allowsMissing, allowsMissing, source: filter };
  }
  const bracket = bracketOf(value.type);
  const inclusive = operator === '$gte' || operator === '$lte';
  const isLow = operator === '$gt' || operator === '$gte';
  if (value.type === BSON.double && Number.isNaN(value.buf.readDoubleLE(value.off))) return undefined;
  const low: Bound = isLow ? { key, inclusive } : { key: bracket.low, inclusive: true };
  const high: Bound = isLow ? { key: bracket.high, inclusive: false } : { key, inclusive };
  return { path, intervals: [{ low, high }], points: false, exact: true, allowsMissing, source: filter };
}

const lowEnd = (b: Bound): string => (b.inclusive ? b.key : afterPrefix(b.key));
const highEnd = (b: Bound): string => (b.inclusive ? afterPrefix(b.key) : b.key);

/** The range of index keys, after a prefix of equal components, that an interval of the next component covers. */
export function rangeOf(prefix: string, { low, high }: Interval, descending: boolean): KeyRange {
  if (!descending) return { low: prefix + lowEnd(low), high: prefix + highEnd(high) };
  const inverted = ({ key, inclusive }: Bound): Bound => ({ key: invertedKey(key), inclusive });
  return { low: prefix + lowEnd(inverted(high)), high: prefix + highEnd(inverted(low)) };
}

/** The intervals that two lists of intervals share. */
export function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const shared: Interval[] = [];
  for (const x of a) {
    for (const y of b) {
      const low = lowEnd(x.low) >= lowEnd(y.low) ? x.low : y.low;
      const high = highEnd(x.high) <= highEnd(y.high) ? x.high : y.high;
      if (lowEnd(low) < highEnd(high)) shared.push({ low, high });
    }
  }
  return shared;
}
