import { BSON, cstringEnd, elementsOf, getField, nestedFields, type RawElement, RawValue, sizeOf } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { fromRawValue } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { someAtPath } from '../query/path.js';
import type { Database, View } from './database.js';
import { Estimates } from './estimates.js';
import { Index, type ChangedFields } from './index.js';
import { rowKey, rowPrefix } from './key-space.js';
import type { LockHolder } from './lock-holder.js';
import type { Document } from 'bson';

const ID = Buffer.from('_id');

/** The encoded _id of a raw document, or undefined when it has none. */
export function idKeyOf(bytes: Buffer): string | undefined {
  const id = getField(bytes, 0, ID);
  return id && keyOf(id.type, id.buf, id.off, id.end);
}

/** How much a collection holds. */
export interface Sizes {
  readonly count: number;
  /** Bytes of BSON. */
  readonly bytes: number;
}

/** A stored document. */
export interface Row {
  /** Rises with every insert; the order of a collection scan. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** A collection: its rows lie in the database under their record numbers, in the order of insertion, and its indexes find them. */
export class Collection {
  readonly indexes: Index[] = [];
  /** Documents that a transaction has written and not committed. */
  readonly locks = new Map<string, LockHolder>();
  readonly rowPrefix: string;
  readonly estimates: Estimates;
  sizes: Sizes = { count: 0, bytes: 0 };
  nextNumber = 1;

  /** @param idIndex the number of the index of _id */
  constructor(
    readonly database: Database,
    readonly id: number,
    public namespace: string,
    idIndex: number,
  ) {
    this.rowPrefix = rowPrefix(id);
    this.estimates = new Estimates(database);
    this.indexes.push(new Index(idIndex, { v: 2, key: { _id: 1 }, name: '_id_' }));
  }

  /** The index of _id. */
  get idIndex(): Index {
    return this.indexes[0]!;
  }

  /** The record number of an _id. */
  numberOf(view: View, idKey: string): number | undefined {
    return this.database.point(view, this.idIndex.prefix + idKey);
  }

  /** The document of a record number. */
  bytesOf(view: View, number: number): Buffer | undefined {
    return this.database.row(view, rowKey(this.rowPrefix, number));
  }

  /** The document of an _id. */
  find(view: View, idKey: string): Row | undefined {
    const number = this.numberOf(view, idKey);
    const bytes = number === undefined ? undefined : this.bytesOf(view, number);
    return bytes && { number: number!, bytes };
  }

  /**
   * Throws when the index keys of a document cannot be made (two arrays side by side).
   * @param changed the fields that differ from those of a document whose keys could be made
   */
  assertIndexable(bytes: Buffer, changed?: ChangedFields): void {
    const isNew = (name: string) => !changed || changed.has('*') || changed.has(name);
    const nested = nestedFields(bytes);
    // without two fields that may hold arrays no key goes through two
    if (!nested.some(isNew)) return;
    for (const index of this.indexes) if (index.readsTwiceFrom(nested)) index.keysOf(bytes, 0);
  }
}

/** The top-level fields in which two documents differ. */
export function changedFields(before: Buffer, after: Buffer): ChangedFields {
  return changedInPlace(before, after) ?? changedAnywhere(elementsOf(before), elementsOf(after));
}

/** The fields that differ where both documents have the same ones in the same order; null where they do not. */
function changedInPlace(before: Buffer, after: Buffer): ChangedFields | null {
  const changed = new Set<string>();
  let [was, is] = [4, 4];
  while (before[was] !== 0 && after[is] !== 0) {
    const [name, sameName] = [was + 1, is + 1];
    const [value, other] = [cstringEnd(before, name) + 1, cstringEnd(after, sameName) + 1];
    if (!sameBytes(before, name, value, after, sameName, other)) return null;
    const [end, otherEnd] = [value + sizeOf(before[was]!, before, value), other + sizeOf(after[is]!, after, other)];
    if (before[was] !== after[is] || !sameBytes(before, value, end, after, other, otherEnd))
      changed.add(before.toString('utf8', name, value - 1));
    [was, is] = [end, otherEnd];
  }
  return before[was] === after[is] ? changed : null;
}

function sameBytes(a: Buffer, from: number, end: number, b: Buffer, otherFrom: number, otherEnd: number): boolean {
  if (end - from !== otherEnd - otherFrom) return false;
  for (let i = from, j = otherFrom; i < end; i++, j++) if (a[i] !== b[j]) return false;
  return true;
}

function changedAnywhere(former: readonly RawElement[], present: readonly RawElement[]): ChangedFields {
  const left = new Map(former.map(({ name, value }) => [name, value]));
  // a name that stands twice
  if (left.size < former.length) return new Set(['*']);
  const changed = new Set<string>();
  for (const { name, value } of present) {
    const was = left.get(name);
    if (!was || was.type !== value.type || was.buf.compare(value.buf, value.off, value.end, was.off, was.end) !== 0) changed.add(name);
    left.delete(name);
  }
  for (const name of left.keys()) changed.add(name);
  return changed;
}

/** The error for a second document with the same unique values. */
export function duplicateKey(collection: Collection, index: Index, bytes: Buffer): CommandError {
  const keyValue: Document = {};
  for (const { path } of index.components) {
    keyValue[path.text] = null;
    someAtPath(bytes, 0, path, 0, false, (type, buf, off, end) => {
      if (type !== BSON.missing) keyValue[path.text] = fromRawValue(new RawValue(type, buf, off, end));
      return true;
    });
  }
  const shown = Object.entries(keyValue).map(([k, v]) => `${k}: ${JSON.stringify(v)}`);
  return new CommandError(
    11000,
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.spec.name} dup key: { ${shown.join(', ')} }`,
    {
      keyPattern: index.spec.key,
      keyValue,
    },
  );
}
