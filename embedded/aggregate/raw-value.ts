import { BSON, findElement, RawValue, sizeOf } from '../bson/raw.js';
import { arrayOf } from '../bson/write.js';
import { pathOf, type FieldPath } from '../query/path.js';

/** Reads a value from a raw document; undefined when it is missing. */
export type RawReader = (buf: Buffer) => RawValue | undefined;

/** The path of an expression that is a plain field path such as "$a.b", or undefined. */
export function plainFieldPath(expression: unknown): FieldPath | undefined {
  if (typeof expression !== 'string' || !/^\$[^$.][^.]*(\.[^$.][^.]*)*$/.test(expression)) return undefined;
  const path = pathOf(expression.slice(1));
  return path.positions.every((p) => p < 0) ? path : undefined;
}

/** A reader of a field path as expressions read it: through an array it gives the array of what is inside. */
export function readerOf(path: FieldPath): RawReader {
  return (buf) => readFrom(buf, 0, path, 0);
}

function readFrom(buf: Buffer, docOff: number, path: FieldPath, from: number): RawValue | undefined {
  const name = path.names[from]!;
  const at = findElement(buf, docOff, name);
  if (at < 0) return undefined;
  const type = buf[at]!;
  const off = at + 2 + name.length;
  if (from === path.names.length - 1)
    return type === BSON.undefined ? undefined : new RawValue(type, buf, off, off + sizeOf(type, buf, off));
  if (type === BSON.object) return readFrom(buf, off, path, from + 1);
  return type === BSON.array ? arrayOf(readThroughArray(buf, off, path, from + 1)) : undefined;
}

function readThroughArray(buf: Buffer, off: number, path: FieldPath, from: number): RawValue[] {
  const values: RawValue[] = [];
  let pos = off + 4;
  while (buf[pos] !== 0) {
    const type = buf[pos]!;
    while (buf[++pos] !== 0);
    const start = pos + 1;
    pos = start + sizeOf(type, buf, start);
    const value =
      type === BSON.object
        ? readFrom(buf, start, path, from)
        : type === BSON.array
          ? arrayOf(readThroughArray(buf, start, path, from))
          : undefined;
    if (value) values.push(value);
  }
  return values;
}
