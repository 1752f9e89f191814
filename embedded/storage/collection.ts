import { BSON, getField, type RawValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { fromRawValue } from '../bson/write.js';
import { CommandError } from '../errors.js';
import type { Transaction } from '../transactions.js';
import { IndexBTree, type IndexSpec } from './index-btree.js';
import type { StoredRecord } from './record.js';
import type { Document } from 'bson';

const ID = Buffer.from('_id');

/** The encoded _id of a raw document, or undefined when it has none. */
export function idKeyOf(bytes: Buffer): string | undefined {
  const id = getField(bytes, 0, ID);
  return id && keyOf(id.type, id.buf, id.off, id.end);
}

/** The encoded form of an _id value. */
export function idKeyOfValue(id: RawValue): string {
  return keyOf(id.type, id.buf, id.off, id.end);
}

/** A collection: documents as BSON bytes under their encoded _id, in the order of insertion, and its indexes. */
export class Collection {
  readonly records = new Map<string, StoredRecord>();
  readonly indexes: IndexBTree[] = [];
  /** Documents that a transaction has written and not committed. */
  readonly locks = new Map<string, Transaction>();
  dataSize = 0;
  #nextNumber = 1;

  constructor(
    public namespace: string,
    private readonly clock: { version: number },
  ) {
    this.addIndex({ v: 2, key: { _id: 1 }, name: '_id_' });
  }

  /** The index of _id. */
  get idIndex(): IndexBTree {
    return this.indexes[0]!;
  }

  addIndex(spec: IndexSpec): IndexBTree {
    const index = new IndexBTree(spec, () => this.records.values());
    this.indexes.push(index);
    return index;
  }

  /** Stores a committed document under its _id, new or in place of another. */
  put(idKey: string, given: Buffer): void {
    const bytes = ownBytes(given);
    const version = ++this.clock.version;
    const record = this.records.get(idKey);
    if (record) {
      for (const index of this.indexes) if (index !== this.idIndex) index.update(record, bytes);
      this.dataSize += bytes.length - record.bytes.length;
      record.bytes = bytes;
      record.version = version;
      return;
    }
    const added: StoredRecord = { idKey, number: this.#nextNumber++, bytes, version };
    for (const index of this.indexes) index.insert(added);
    this.records.set(idKey, added);
    this.dataSize += bytes.length;
  }

  /** Removes a committed document. */
  remove(idKey: string): void {
    const record = this.records.get(idKey);
    if (!record) return;
    this.clock.version++;
    for (const index of this.indexes) index.remove(record);
    this.records.delete(idKey);
    this.dataSize -= record.bytes.length;
  }

  /** Throws when the index keys of a document cannot be made (two arrays side by side). */
  assertIndexable(bytes: Buffer): void {
    for (const index of this.indexes) if (index.components.length > 1) index.keysOf(bytes, 0);
  }
}

/** Bytes that share memory with nothing else, so that a stored document does not keep a larger buffer alive. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}

/** The error for a second document with the same unique values. */
export function duplicateKey(collection: Collection, index: IndexBTree, bytes: Buffer): CommandError {
  const keyValue: Document = {};
  for (const { path } of index.components) {
    const value = path.names.length === 1 ? getField(bytes, 0, path.names[0]!) : undefined;
    keyValue[path.text] = value && value.type !== BSON.missing ? fromRawValue(value) : null;
  }
  const shown = Object.entries(keyValue).map(([k, v]) => `${k}: ${JSON.stringify(v)}`);
  return new CommandError(11000, `E11000 duplicate key error collection: ${collection.namespace} index: ${index.spec.name} dup key: { ${shown.join(', ')} }`, {
    keyPattern: index.spec.key,
    keyValue,
  });
}
