/** The members of a JSON object's top level as far as they can be seen: name -> the first characters of the value. */
export type TopLevel = ReadonlyMap<string, string>;

const VALUE_CHARS = 400;
/** A token, and the closing quote of a string: one that nothing closes is the last token, not looked at again from each quote in it. */
const TOKEN = /"(?:[^"\\]|\\.)*("?)|[{}[\]:,]/gs;

/** Reads the top level of a JSON object from its first bytes, which may end anywhere; empty for what is no object. */
export function readTopLevel(head: string): TopLevel {
  const members = new Map<string, string>();
  if (!/^\s*\{\s*["}]/.test(head)) return members;
  let depth = 0;
  let key: string | undefined;
  let last = '';
  for (const match of head.matchAll(TOKEN)) {
    const [token, closing] = match;
    if (closing === '') break;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') {
      depth--;
      if (depth === 0) break;
    } else if (depth === 1) {
      if (token === ':' && key === undefined) {
        key = last.slice(1, -1);
        const at = match.index + 1;
        if (!members.has(key)) members.set(key, head.slice(at, at + VALUE_CHARS).trimStart());
      } else if (token === ',') key = undefined;
      else last = token;
    }
  }
  return members;
}
