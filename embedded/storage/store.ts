import type { Document } from 'bson';
import type { RawValue } from '../bson/raw.js';
import { BSON, getField } from '../bson/raw.js';
import { documentOf, toRaw } from '../bson/write.js';
import { CommandError } from '../errors.js';
import { Transaction } from '../transactions.js';
import { Collection } from './collection.js';
import type { ChangedFields, IndexSpec } from './index-btree.js';

const ID = Buffer.from('_id');

/** Who receives every committed change: the journal. */
export interface ChangeLog {
  /** A document was inserted or replaced. */
  put(namespace: string, bytes: Buffer): void;
  /** A document was deleted; `id` is `{ _id }`. */
  remove(namespace: string, id: Buffer): void;
  /** A collection or an index was made, changed or dropped. */
  catalog(change: Document): void;
}

/** All databases: collections by namespace (`database.collection`). */
export class Store {
  readonly collections = new Map<string, Collection>();
  readonly transactions = new Set<Transaction>();
  readonly clock = { version: 0 };
  log: ChangeLog = { put: () => undefined, remove: () => undefined, catalog: () => undefined };

  find(namespace: string): Collection | undefined {
    return this.collections.get(namespace);
  }

  /** The collection, made now if there is none. Throws InvalidNamespace. */
  getOrCreate(namespace: string): Collection {
    const found = this.collections.get(namespace);
    if (found) return found;
    const dot = namespace.indexOf('.');
    const name = namespace.slice(dot + 1);
    if (dot < 1 || name === '' || name.includes('$') || name.includes('\0') || namespace.length > 255) {
      throw new CommandError(73, `Invalid namespace specified '${namespace}'`);
    }
    const collection = new Collection(namespace, this.clock);
    this.collections.set(namespace, collection);
    this.log.catalog({ create: namespace });
    return collection;
  }

  drop(namespace: string): boolean {
    const dropped = this.collections.delete(namespace);
    if (dropped) this.log.catalog({ drop: namespace });
    return dropped;
  }

  /** Moves a collection to another namespace, in place of what is there. */
  rename(from: string, to: string): void {
    const collection = this.collections.get(from);
    if (!collection) throw new CommandError(26, `Source collection ${from} does not exist`);
    this.collections.delete(from);
    collection.namespace = to;
    this.collections.set(to, collection);
    this.log.catalog({ rename: from, to });
  }

  /** Puts a committed document and tells the log. */
  put(collection: Collection, idKey: string, bytes: Buffer, changed?: ChangedFields): void {
    collection.put(idKey, bytes, changed);
    this.log.put(collection.namespace, bytes);
  }

  /** Removes a committed document and tells the log. */
  remove(collection: Collection, idKey: string): void {
    const record = collection.records.get(idKey);
    if (!record) return;
    this.log.remove(collection.namespace, idOnly(record.bytes));
    collection.remove(idKey);
  }

  logIndex(collection: Collection, spec: IndexSpec): void {
    this.log.catalog({ createIndex: collection.namespace, spec });
  }

  beginTransaction(): Transaction {
    const transaction = new Transaction(this.clock.version);
    this.transactions.add(transaction);
    void transaction.ended.then(() => this.transactions.delete(transaction));
    return transaction;
  }

  /** Applies a transaction's writes and tells the log, all in one synchronous step. */
  commit(transaction: Transaction): void {
    transaction.commit((collection, _idKey, bytes, before) => {
      if (bytes) this.log.put(collection.namespace, bytes);
      else if (before) this.log.remove(collection.namespace, idOnly(before));
    });
  }
}

/** The document `{ _id }` of a raw document. */
export function idOnly(bytes: Buffer): Buffer {
  const value = getField(bytes, 0, ID);
  return value ? documentOf([{ name: '_id', value }]) : toRaw({});
}

/** Whether a value may be an _id. Throws InvalidIdField for an array, a regular expression or undefined. */
export function assertId(id: RawValue): void {
  if (id.type === BSON.array || id.type === BSON.regex || id.type === BSON.undefined) {
    throw new CommandError(
      53,
      `The '_id' value cannot be of type ${id.type === BSON.array ? 'array' : id.type === BSON.regex ? 'regex' : 'undefined'}`,
    );
  }
}
