import { KIND } from '../bson/kind.js';
import { conjunctsOf, type Filter } from '../query/ast.js';
import type { Index } from '../storage/index.js';

/** Whether a document may match, by the part of its key that begins at a place. */
export type KeyTest = (key: string, from: number) => boolean;

/** A text within a key ends with a zero; one inside it is followed by 255. */
function textAt(key: string, from: number): string {
  let end = key.indexOf('\0', from);
  while (key.charCodeAt(end + 1) === 255) end = key.indexOf('\0', end + 1);
  const bytes = key.slice(from, end).replaceAll('\0\xff', '\0');
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/**
 * The test of a pattern on an index's component, so that a document whose key tells that it does not match is not looked at; undefined where the filter
 * has no pattern for it.
 */
export function keyTestOf(index: Index, component: number, filter: Filter): KeyTest | undefined {
  const tested = index.components[component];
  if (!tested || tested.descending || index.multikey) return undefined;
  for (const condition of conjunctsOf(filter)) {
    if (condition.kind !== 'regex' || condition.path.text !== tested.path.text) continue;
    const { regex } = condition;
    // what is no text is looked at: a pattern may be stored, and match itself
    return (key, from) => key.charCodeAt(from) !== KIND.string || regex.test(textAt(key, from + 1));
  }
  return undefined;
}
