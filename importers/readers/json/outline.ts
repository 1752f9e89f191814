/**
 * The paths that occur in the beginning of a JSON text, with the first short scalar seen at each; `''` for other values. A path
 * followed by `!` says that an object there was seen to its end.
 */
export type JsonOutline = ReadonlyMap<string, string>;

/** Values longer than this are of no use for telling formats apart. */
const MAX_VALUE = 200;
const MAX_LEVELS = 6;
/** Only the first elements of an array are looked at. */
const MAX_ELEMENTS = 3;
/** A token, and the closing quote of a string. One that nothing closes is a token as well: else each quote in it would be followed to the end. */
const TOKEN = /"(?:[^"\\]|\\.)*("?)|[{}[\],:]|[^\s{}[\],:"]+/gs;

interface Level {
  readonly array: boolean;
  readonly path: string;
  readonly silent: boolean;
  key: string;
  index: number;
}

let last: { head: string; outline: JsonOutline } | undefined;

/**
 * The outline of a report's head, for format detection: paths such as `[].class_uid`, `Findings[].Id`, `runs[].tool` of the
 * first levels. Reads as far as the text is JSON, so a head that was cut anywhere gives what stands before the cut; several
 * texts one after another share their paths. A head that is not JSON gives an empty outline.
 */
export function outlineJson(head: string): JsonOutline {
  if (last?.head === head) return last.outline;
  const outline = buildOutline(head.replace(/^\uFEFF/, ''));
  last = { head, outline };
  return outline;
}

function buildOutline(text: string): JsonOutline {
  const outline = new Map<string, string>();
  const levels: Level[] = [];
  if (!/^\P{L}{0,50}?[[{]/u.test(text.slice(0, 1000).trimStart())) return outline;
  let isKey = false;
  const note = (value: string) => {
    const top = levels.at(-1);
    const path = top === undefined ? '' : top.array ? `${top.path}[]` : top.path === '' ? top.key : `${top.path}.${top.key}`;
    const silent = top !== undefined && (top.silent || levels.length > MAX_LEVELS || (top.array && top.index >= MAX_ELEMENTS));
    if (!silent && !outline.has(path)) outline.set(path, value);
    return { path, silent };
  };
  for (const [token, closing] of text.matchAll(TOKEN)) {
    if (closing === '') return outline;
    const top = levels.at(-1);
    if (token === '{' || token === '[') {
      const { path, silent } = note('');
      levels.push({ array: token === '[', path, silent, key: '', index: 0 });
      isKey = token === '{';
    } else if (token === '}' || token === ']') {
      const closed = levels.pop();
      if (closed?.array === false && !closed.silent) outline.set(`${closed.path}!`, '');
      isKey = false;
    } else if (token === ',') {
      if (top?.array === true) top.index++;
      isKey = top?.array === false;
    } else if (token === ':') isKey = false;
    else if (isKey && top !== undefined) top.key = unquote(token);
    else if (top !== undefined) note(token.length > MAX_VALUE ? '' : unquote(token));
  }
  return outline;
}

function unquote(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1) : token;
}
