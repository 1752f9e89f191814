import { keyOf } from '../bson/key.js';
import { KIND } from '../bson/kind.js';
import { conjunctsOf, type Filter } from '../query/ast.js';
import type { Index } from '../storage/index.js';

/** A condition that keys tell of. */
export interface KeyTest {
  readonly condition: Filter;
  /** Whether the condition holds for a document, by the part of its key that begins at a place. */
  holds(this: void, key: string, from: number): boolean;
}

/** Letters that are other bytes in a key than in a text. */
const NOT_PLAIN = /[\0\x80-\xff]/;

/** A text within a key ends with a zero; one inside it is followed by 255. */
function textAt(key: string, from: number): string {
  let end = key.indexOf('\0', from);
  while (key.charCodeAt(end + 1) === 255) end = key.indexOf('\0', end + 1);
  const bytes = key.slice(from, end);
  return NOT_PLAIN.test(bytes) ? Buffer.from(bytes.replaceAll('\0\xff', '\0'), 'latin1').toString('utf8') : bytes;
}

/** The test of a pattern on an index's component, so that no document is looked at for it; undefined where the filter has no pattern for it. */
export function keyTestOf(index: Index, component: number, filter: Filter): KeyTest | undefined {
  const tested = index.components[component];
  if (!tested || tested.descending || index.multikey) return undefined;
  for (const condition of conjunctsOf(filter)) {
    if (condition.kind !== 'regex' || condition.path.text !== tested.path.text) continue;
    const { regex, value } = condition;
    // a pattern may be stored, and matches itself
    const itself = keyOf(value.type, value.buf, value.off, value.end);
    return {
      condition,
      holds: (key, from) => (key.charCodeAt(from) === KIND.string ? regex.test(textAt(key, from + 1)) : key.startsWith(itself, from)),
    };
  }
  return undefined;
}
