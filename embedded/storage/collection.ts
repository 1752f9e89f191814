import { BSON, elementsOf, getField, RawValue } from '../bson/raw.js';
import { keyOf } from '../bson/key.js';
import { fromRawValue } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { someAtPath } from '../query/path.js';
import type { LockHolder } from './lock-holder.js';
import { IndexBTree, type ChangedFields, type IndexSpec } from './index-btree.js';
import type { StoredRecord } from './record.js';
import type { Document } from 'bson';

const ID = Buffer.from('_id');

/** The encoded _id of a raw document, or undefined when it has none. */
export function idKeyOf(bytes: Buffer): string | undefined {
  const id = getField(bytes, 0, ID);
  return id && keyOf(id.type, id.buf, id.off, id.end);
}

/** A collection: documents as BSON bytes under their encoded _id, in the order of insertion, and its indexes. */
export class Collection {
  readonly records = new Map<string, StoredRecord>();
  readonly indexes: IndexBTree[] = [];
  /** Documents that a transaction has written and not committed. */
  readonly locks = new Map<string, LockHolder>();
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

  /**
   * Stores a committed document under its _id, new or in place of another.
   * @param changed the top-level fields that differ from before, when that is known: other indexes need no look.
   */
  put(idKey: string, given: Buffer, changed?: ChangedFields): void {
    const bytes = ownBytes(given);
    const record = this.records.get(idKey);
    if (record) return this.#replace(record, bytes, changed);
    const added: StoredRecord = { idKey, number: this.#nextNumber, bytes, version: 0 };
    const keys = this.indexes.map((index) => (index.built ? index.keysOf(bytes, added.number) : []));
    this.#nextNumber++;
    added.version = ++this.clock.version;
    this.indexes.forEach((index, i) => index.insert(added, keys[i]!));
    this.records.set(idKey, added);
    this.dataSize += bytes.length;
  }

  #replace(record: StoredRecord, bytes: Buffer, changed: ChangedFields = changedFields(record.bytes, bytes)): void {
    const affected = this.indexes.filter((index) => index.built && index !== this.idIndex && index.dependsOn(changed));
    const keys = affected.map((index) => index.keysOf(bytes, record.number));
    affected.forEach((index, i) => index.update(record, keys[i]!));
    this.dataSize += bytes.length - record.bytes.length;
    record.bytes = bytes;
    record.version = ++this.clock.version;
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
    const nested = elementsOf(bytes).flatMap(({ name, value: { type } }) => (type === BSON.array || type === BSON.object ? [name] : []));
    // without a field that may hold an array no key goes through one
    if (nested.length === 0) return;
    for (const index of this.indexes)
      if (index.components.length > 1 && nested.some((name) => index.readsKeyFrom(name))) index.keysOf(bytes, 0);
  }

  /** Fills the indexes that have not been used since the start; needed before anything is written. */
  ensureIndexes(): void {
    for (const index of this.indexes) if (index !== this.idIndex) index.ensureBuilt();
  }
}

/** The top-level fields in which two documents differ. */
function changedFields(before: Buffer, after: Buffer): ChangedFields {
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
