import { asObject, type JsonObject } from '../readers/json/fields.js';

/** A copy whose members begin with a small letter, at all depths: one product's interfaces often differ in nothing else. */
export function camelCased(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key.charAt(0).toLowerCase() + key.slice(1), inner(value)]));
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner);
  const object = asObject(value);
  return object === undefined ? value : camelCased(object);
}
