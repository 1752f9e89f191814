import { BSON, elementsOf, getField, RawValue } from '../bson/raw.js';
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

  /** Throws when the index keys of a document cannot be made (two arrays side by side). */
  assertIndexable(bytes: Buffer): void {
    const nested = elementsOf(bytes).flatMap(({ name, value: { type } }) => (type === BSON.array || type === BSON.object ? [name] : []));
    // without a field that may hold an array no key goes through one
    if (nested.length === 0) return;
    for (const index of this.indexes)
      if (index.components.length > 1 && nested.some((name) => index.readsKeyFrom(name))) index.keysOf(bytes, 0);
  }
}

/** The top-level fields in which two documents differ. */
export function changedFields(before: Buffer, after: Buffer): ChangedFields {
  const [former, present] = [elementsOf(before), elementsOf(after)];
  const left = new Map(former.map(({ name, value }) => [name, value]));
  // a name that stands twice
  if (left.size < former.length) return new Set(['*']);
  const changed = new Set<string>();
  for (const { name, value } of present) {
    const was = left.get(name);
    if (!was || was.type !== value.type || before.compare(after, value.off, value.end, was.off, was.end) !== 0) changed.add(name);
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
