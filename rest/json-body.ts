import { badRequest, invalid, type Violation } from '../kit/base/errors.js';

/** Bytes of the largest JSON body. */
export const MAX_JSON_BYTES = 1_048_576;
/** How deep a JSON body may nest, and how many keys it may hold in all. */
export const MAX_JSON_DEPTH = 100;
export const MAX_JSON_KEYS = 100_000;

const POISON = new Set(['__proto__', 'constructor', 'prototype']);
const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 58, 91, 93, 123, 125];

/** The index of the quote that ends the string begun at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Refuses a text that is too deep or has too many keys, in one pass and before anything is built from it. */
function assertBounded(text: string): void {
  let depth = 0;
  let keys = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) index = endOfString(text, index);
    else if (character === COLON) keys += 1;
    else if (character === OPEN_OBJECT || character === OPEN_LIST) depth += 1;
    else if (character === CLOSE_OBJECT || character === CLOSE_LIST) depth -= 1;
    if (depth > MAX_JSON_DEPTH) throw invalid([{ path: '', message: `nests deeper than ${MAX_JSON_DEPTH} levels` }]);
    if (keys > MAX_JSON_KEYS) throw invalid([{ path: '', message: `has more than ${MAX_JSON_KEYS} keys` }]);
  }
}

/** Where a value stands in a body: `items[2].name`. */
export const joinPath = (parent: string, key: string | number): string =>
  typeof key === 'number' ? `${parent}[${key}]` : parent === '' ? key : `${parent}.${key}`;

/** A key as it may stand in an answer: never long, never with control characters. */
const shownKey = (key: string): string => key.slice(0, 64).replace(/[^\x20-\x7e]/g, '?');

function* forbiddenKeys(value: unknown, path: string, isForbidden: (key: string) => string | null): Iterable<Violation> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      if (typeof item === 'object') yield* forbiddenKeys(item, joinPath(path, index), isForbidden);
    return;
  }
  for (const key of Object.keys(value)) {
    const message = isForbidden(key);
    if (message !== null) yield { path: joinPath(path, shownKey(key)), message };
    else yield* forbiddenKeys((value as Record<string, unknown>)[key], joinPath(path, key), isForbidden);
  }
}

const first = (violations: Iterable<Violation>, most: number): Violation[] => {
  const found: Violation[] = [];
  for (const violation of violations) {
    found.push(violation);
    if (found.length === most) break;
  }
  return found;
};

const isPoison = (key: string): string | null => (POISON.has(key) ? 'is not allowed as a key' : null);
const isOperator = (key: string): string | null =>
  key.startsWith('$') || key.includes('.') ? 'keys must not start with $ or hold a dot' : null;

/** Keys that a database would read as operators or paths: `$where`, `a.b`. At most 20 are named. */
export const operatorKeys = (value: unknown): Violation[] => first(forbiddenKeys(value, '', isOperator), 20);

/**
 * Reads a JSON body.
 * @param text the body, at most MAX_JSON_BYTES long
 * @returns undefined for an empty body
 * @throws PalisadeError BAD_REQUEST when it is not JSON; VALIDATION_ERROR past the depth or the number of keys, or with a key that names an
 *   object's prototype
 */
export function parseJsonBody(text: string): unknown {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (body.trim() === '') return undefined;
  assertBounded(body);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw badRequest('The body is not valid JSON');
  }
  if (/__proto__|constructor|prototype|\\u/.test(body)) {
    const poisoned = first(forbiddenKeys(value, '', isPoison), 20);
    if (poisoned.length > 0) throw invalid(poisoned);
  }
  return value;
}
