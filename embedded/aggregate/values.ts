import { keyOf } from '../bson/key.js';
import { rawValueOf } from '../bson/write.js';

/** The encoded key of a JavaScript value: values compare and equal as their keys do. Missing (undefined) comes before null. */
export function keyOfJs(value: unknown): string {
  if (value === undefined) return '\u000f';
  const { type, buf, off, end } = rawValueOf(value);
  return keyOf(type, buf, off, end);
}

/** Three-way comparison of values in MongoDB's order across types. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number' && a === a && b === b) return a - b || 0;
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  if (a === b && typeof a !== 'number') return 0;
  const x = keyOfJs(a);
  const y = keyOfJs(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** MongoDB's truth of an expression's value: everything but false, zero, null and missing. */
export function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined && value !== 0;
}
