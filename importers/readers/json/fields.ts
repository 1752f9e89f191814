import { BrokenRecord } from '../record.js';

export { BrokenRecord } from '../record.js';

/** A JSON object of unknown content. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; undefined for arrays, null and everything else. */
export function asObject(value: unknown): JsonObject | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The own member of an object, whatever its prototype has. */
export function member(object: JsonObject | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The member as an object, undefined when it is none. */
export function objectAt(object: JsonObject | undefined, key: string): JsonObject | undefined {
  return asObject(member(object, key));
}

/** The member as a text that is not blank; numbers become text. */
export function textAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = member(object, key);
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** A text, number or truth value as a text; an empty one for all else: what a document calls `toString` would be called where it is made a text of. */
export const plainText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** The member as a finite number; numeric text is read. */
export function numberAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = member(object, key);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The member as a list; empty when it is none. */
export function listAt(object: JsonObject | undefined, key: string): readonly unknown[] {
  const value = member(object, key);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The objects of a list member; a single object counts as a list of one, as PowerShell and converters from XML write it. */
export function objectsAt(object: JsonObject | undefined, key: string): JsonObject[] {
  const alone = objectAt(object, key);
  if (alone !== undefined) return [alone];
  const list = listAt(object, key);
  if (list.length === 0) return [];
  return list.map(asObject).filter((value) => value !== undefined);
}

/** The texts of a list member, each once; a single text counts as a list of one. */
export function textsAt(object: JsonObject | undefined, key: string): string[] {
  const value = member(object, key);
  const list = typeof value === 'string' ? [value] : listAt(object, key);
  if (list.length === 0) return [];
  return [...new Set(list.filter((item): item is string => typeof item === 'string' && item.trim() !== ''))];
}

/** The member as a text; throws BrokenRecord naming the field when it is missing or of another type. */
export function requireText(object: JsonObject | undefined, key: string, field = key): string {
  const text = textAt(object, key);
  if (text !== undefined) return text;
  const value = member(object, key);
  const found =
    value === undefined || value === null
      ? 'is missing'
      : value === '' || typeof value === 'string'
        ? 'is empty'
        : `should be text, found ${kindOf(value)}`;
  throw new BrokenRecord(`${field} ${found}`);
}

/** The member as an object; throws BrokenRecord naming the field when it is missing or of another type. */
export function requireObject(object: JsonObject | undefined, key: string, field = key): JsonObject {
  const value = member(object, key);
  const found = asObject(value);
  if (found !== undefined) return found;
  throw new BrokenRecord(
    `${field} ${value === undefined || value === null ? 'is missing' : `should be an object, found ${kindOf(value)}`}`,
  );
}

/** What a JSON value is, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

/** A copy without members that are undefined, blank or empty lists. */
export function compact(object: JsonObject): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    kept[key] = value;
  }
  return kept;
}
