import { BSON, findElement, getField, RawValue, sizeOf, someValue } from '../bson/raw.js';
import { addToKey, finishKey, putRecordNumber, startKey } from '../bson/key.js';
import { CommandError } from '../errors.js';
import type { FieldPath } from '../query/path.js';

/** One field of an index. */
export interface IndexComponent {
  readonly path: FieldPath;
  readonly descending: boolean;
}

/** The keys of one document in one index. */
export interface IndexKeys {
  readonly keys: readonly string[];
  /** Which components went through an array. */
  readonly arrays: readonly number[];
  /** Whether every component is missing from the document. */
  readonly allMissing: boolean;
}

const MISSING = new RawValue(BSON.missing, Buffer.alloc(0), 0, 0);
const EMPTY_ARRAY = new RawValue(BSON.undefined, Buffer.alloc(0), 0, 0);

/** Where a component stands while arrays are being expanded: a value, and the part of its path still to walk. */
interface Progress {
  readonly value: RawValue;
  readonly from: number;
  readonly done: boolean;
}

/** Where the top-level fields lie that were looked up last: the indexes of a collection ask for the same ones of one document. */
const found: { in: Buffer; readonly fields: Map<string, RawValue> } = { in: Buffer.alloc(0), fields: new Map() };

/** A top-level field of a document. */
function fieldOf(bytes: Buffer, { text, names }: FieldPath): RawValue {
  if (found.in !== bytes) {
    found.in = bytes;
    found.fields.clear();
  }
  const name = names.length === 1 ? text : names[0]!.toString();
  let value = found.fields.get(name);
  if (!value) found.fields.set(name, (value = getField(bytes, 0, names[0]!) ?? MISSING));
  return value;
}

function step(value: RawValue, path: FieldPath, from: number): Progress {
  let current = value;
  let i = from;
  while (i < path.names.length) {
    if (current.type === BSON.array) {
      if (path.positions[i]! < 0) return { value: current, from: i, done: false };
    } else if (current.type !== BSON.object) return { value: MISSING, from: i, done: true };
    const name = path.names[i]!;
    const at = findElement(current.buf, current.off, name);
    if (at < 0) return { value: MISSING, from: i, done: true };
    const off = at + 2 + name.length;
    const type = current.buf[at]!;
    current = new RawValue(type, current.buf, off, off + sizeOf(type, current.buf, off));
    i++;
  }
  return { value: current, from: i, done: current.type !== BSON.array };
}

/** The index keys of a document, each ended by its record number. Throws for two arrays side by side, as MongoDB does. */
export function keysOfDocument(bytes: Buffer, components: readonly IndexComponent[], recordNumber: number): IndexKeys {
  const start = components.map(({ path }) => step(fieldOf(bytes, path), path, 1));
  const allMissing = start.every((p) => p.done && p.value.type === BSON.missing);
  if (start.every((p) => p.done)) return { keys: [keyOfValues(start, components, recordNumber)], arrays: [], allMissing };
  const keys = new Set<string>();
  const arrays = new Set<number>();
  expand(start, components, (values) => keys.add(keyOfValues(values, components, recordNumber)), arrays);
  return { keys: [...keys], arrays: [...arrays], allMissing };
}

function keyOfValues(values: readonly Progress[], components: readonly IndexComponent[], recordNumber: number): string {
  startKey();
  for (let i = 0; i < values.length; i++) {
    const { type, buf, off, end } = values[i]!.value;
    addToKey(type, buf, off, end, components[i]!.descending);
  }
  putRecordNumber(recordNumber);
  return finishKey();
}

function expand(
  at: readonly Progress[],
  components: readonly IndexComponent[],
  emit: (values: readonly Progress[]) => void,
  arrays: Set<number>,
): void {
  const first = at.find((p) => !p.done);
  if (!first) return emit(at);
  const array = first.value;
  at.forEach((p, i) => {
    if (p.done) return;
    if (p.value.off !== array.off) throw new CommandError(171, 'cannot index parallel arrays');
    arrays.add(i);
  });
  const next = (element: RawValue | undefined): void => {
    const values = at.map((p, i) => {
      if (p.done) return p;
      const path = components[i]!.path;
      if (p.from === path.names.length) return { value: element ?? EMPTY_ARRAY, from: p.from, done: true };
      if (!element || element.type !== BSON.object) return { value: MISSING, from: p.from, done: true };
      return step(element, path, p.from);
    });
    expand(values, components, emit, arrays);
  };
  let empty = true;
  someValue(array.buf, array.off, (type, off, end) => {
    empty = false;
    next(new RawValue(type, array.buf, off, end));
    return false;
  });
  if (empty) next(undefined);
}
