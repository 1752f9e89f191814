import { asObject, member, textAt, type JsonObject } from '../../readers/json/fields.js';

/** References that lead to references, followed at most. */
const MOST_STEPS = 20;

/** What an object of a description is: itself, or what it refers to in the same document; undefined where that is not there. */
export function resolved(document: JsonObject, object: JsonObject | undefined): JsonObject | undefined {
  let found = object;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const reference = textAt(found, '$ref');
    if (reference === undefined) return found;
    if (!reference.startsWith('#/')) return undefined;
    found = reference
      .slice(2)
      .split('/')
      .reduce<JsonObject | undefined>((at, part) => asObject(member(at, nameOf(part))), document);
  }
  return undefined;
}

/** A part of a JSON pointer in a URI fragment (RFC 6901, section 6). */
function nameOf(part: string): string {
  const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A name as a part of a JSON pointer. */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
