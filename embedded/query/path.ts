import { BSON, findElement, sizeOf, someValue } from '../bson/raw.js';

/** A dotted path, split once: names as bytes for looking up, and as array positions where a name is a number. */
export interface FieldPath {
  readonly text: string;
  readonly names: readonly Buffer[];
  readonly positions: readonly number[];
}

const cache = new Map<string, FieldPath>();

/** The path of a dotted name. */
export function pathOf(text: string): FieldPath {
  let path = cache.get(text);
  if (!path) {
    const names = text.split('.');
    path = { text, names: names.map((n) => Buffer.from(n)), positions: names.map((n) => (/^(0|[1-9]\d*)$/.test(n) ? Number(n) : -1)) };
    if (cache.size > 10_000) cache.clear();
    cache.set(text, path);
  }
  return path;
}

/** Sees one value of a path; type 0 means that the field is missing. Answering true ends the walk. */
export type VisitValue = (type: number, buf: Buffer, off: number, end: number) => boolean;

/**
 * Visits the values of a path as MongoDB's matcher does: through arrays of documents, and, with `expand`, the elements of
 * an array at the end of the path before the array itself. Answers whether a visit answered true.
 */
export function someAtPath(buf: Buffer, docOff: number, path: FieldPath, from: number, expand: boolean, visit: VisitValue): boolean {
  const name = path.names[from]!;
  const at = findElement(buf, docOff, name);
  if (at < 0) return visit(BSON.missing, buf, 0, 0);
  const type = buf[at]!;
  const off = at + 2 + name.length;
  if (from === path.names.length - 1) return visitLeaf(type, buf, off, expand, visit);
  if (type === BSON.object) return someAtPath(buf, off, path, from + 1, expand, visit);
  if (type === BSON.array) return someInArray(buf, off, path, from + 1, expand, visit);
  return visit(BSON.missing, buf, 0, 0);
}

function visitLeaf(type: number, buf: Buffer, off: number, expand: boolean, visit: VisitValue): boolean {
  if (type === BSON.array && expand && someValue(buf, off, (t, o, e) => visit(t, buf, o, e))) return true;
  return visit(type, buf, off, off + sizeOf(type, buf, off));
}

function someInArray(buf: Buffer, arrayOff: number, path: FieldPath, rest: number, expand: boolean, visit: VisitValue): boolean {
  const position = path.positions[rest]!;
  return someValue(buf, arrayOff, (type, off, _end, index) => {
    if (type === BSON.object && someAtPath(buf, off, path, rest, expand, visit)) return true;
    if (index !== position) return false;
    if (rest === path.names.length - 1) return visitLeaf(type, buf, off, expand, visit);
    if (type === BSON.object) return someAtPath(buf, off, path, rest + 1, expand, visit);
    return type === BSON.array && someInArray(buf, off, path, rest + 1, expand, visit);
  });
}
