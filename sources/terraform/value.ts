/** What an expression gives before anything is made: a value, parts of which may not be known. */
export type Value = string | number | boolean | null | Unknown | Value[] | ValueMap;
export interface ValueMap {
  [key: string]: Value;
}

/** What is not known before it is made: it stands in configurations as text with the reference in it, `${aws_kms_key.main.arn}`. */
export class Unknown {
  /** @param text with `${...}` in it; what is known of it around that */
  constructor(readonly text: string) {}

  /** What is not known of an expression: `var.name`. */
  static of(expression: string): Unknown {
    return new Unknown(`\${${expression.length > MAX_REFERENCE ? `${expression.slice(0, MAX_REFERENCE)}...` : expression}}`);
  }
}

const MAX_REFERENCE = 500;
/** A text that grows past this is not kept. */
export const MAX_TEXT = 1024 ** 2;
/** Lists and maps that an expression makes have at most so many elements. */
export const MAX_ELEMENTS = 10_000;
/** What a list or map may hold in all, by `weightOf`. */
export const MAX_WEIGHT = 1_000_000;

const weights = new WeakMap<object, number>();

/** How much a value holds, what stands in several places of it counted in each: few steps can put a list into a list twice, again and again. */
export function weightOf(value: Value): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / 64);
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Unknown) return weightOf(value.text);
  let weight = weights.get(value);
  if (weight === undefined) {
    weight = 1;
    for (const inner of Array.isArray(value) ? value : Object.values(value)) weight += weightOf(inner);
    weights.set(value, weight);
  }
  return weight;
}

export const isMap = (value: Value): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unknown);
export const isUnknown = (value: Value): value is Unknown => value instanceof Unknown;

/** Whether a value, or something in it, is not known. */
export function holdsUnknown(value: Value): boolean {
  if (isUnknown(value)) return true;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return isMap(value) && Object.values(value).some(holdsUnknown);
}

/** A value in a text; undefined for what cannot be written so. */
export function toText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isUnknown(value) ? value.text : undefined;
}

/** Whether two values are the same (Terraform's `==`); undefined where that is not known. */
export function isEqual(one: Value, other: Value): boolean | undefined {
  if (isUnknown(one) || isUnknown(other)) return undefined;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return all(one.map((item, n) => isEqual(item, other[n]!)));
  }
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length || keys.some((key) => !Object.hasOwn(other, key))) return false;
  return all(keys.map((key) => isEqual(one[key]!, other[key]!)));
}

const all = (answers: readonly (boolean | undefined)[]): boolean | undefined =>
  answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;

/** Takes a member of a map whatever its name is. */
export function setMember(map: ValueMap, key: string, value: Value): void {
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A map of entries, whatever their names are. */
export function mapOf(entries: Iterable<readonly [string, Value]>): ValueMap {
  const made: ValueMap = {};
  for (const [key, value] of entries) setMember(made, key, value);
  return made;
}

/** Whether a value is true, also as text; undefined where that is not known. */
export function truthOf(value: Value): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

/** A value as configurations hold it: what is not known as its text, null left out of maps. */
export function plainOf(value: Value): unknown {
  if (isUnknown(value)) return value.text;
  if (Array.isArray(value)) return value.map(plainOf);
  if (!isMap(value)) return value;
  const made: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value))
    if (inner !== null) Object.defineProperty(made, key, { value: plainOf(inner), enumerable: true, configurable: true, writable: true });
  return made;
}

/** JSON as Terraform's `jsonencode` writes it; what is not known stands in it as text. */
export const toJson = (value: Value): string =>
  JSON.stringify(value, (_, inner: unknown) => (inner instanceof Unknown ? inner.text : inner));

/** A value of JSON or YAML. @returns null for what neither has */
export function fromPlain(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value === 'object' && value !== null)
    return mapOf(Object.entries(value).map(([key, inner]) => [key, fromPlain(inner)] as const));
  return null;
}
