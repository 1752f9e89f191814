import { isEqual, isMap, type Value } from './value.js';

/** Lists that are Terraform's sets, whose elements are their own keys. */
const SETS = new WeakSet<readonly Value[]>();

export const isSet = (value: Value): boolean => Array.isArray(value) && SETS.has(value);

/** A set of elements, each once, in the order in which Terraform goes through them. */
export function setOf(values: readonly Value[]): Value[] {
  const made = distinct(values);
  if (made.every((value) => typeof value === 'string')) made.sort((one, other) => (one < other ? -1 : 1));
  else if (made.every((value) => typeof value === 'number')) made.sort((one, other) => one - other);
  SETS.add(made);
  return made;
}

/** Each once. Texts and numbers are looked up, what is larger is compared. */
export function distinct(values: readonly Value[]): Value[] {
  const seen = new Set<Value>();
  const made: Value[] = [];
  for (const value of values) {
    if (typeof value === 'object' && value !== null ? made.some((other) => isEqual(other, value)) : seen.has(value)) continue;
    seen.add(value);
    made.push(value);
  }
  return made;
}

/** The elements of a list, set or map, with their keys. */
export function elementsOf(value: Value): [Value, Value][] | undefined {
  if (Array.isArray(value)) return SETS.has(value) ? value.map((item) => [item, item]) : value.map((item, n) => [n, item]);
  return isMap(value) ? Object.entries(value) : undefined;
}
