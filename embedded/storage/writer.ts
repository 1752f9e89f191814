import { RECORD_NUMBER_SIZE } from '../bson/key.js';
import { CommandError, writeConflict } from '../errors.js';
import type { Transaction } from '../transactions.js';
import type { LockHolder } from './lock-holder.js';
import { duplicateKey, type Collection } from './collection.js';
import type { ChangedFields, IndexBTree } from './index-btree.js';
import type { Store } from './store.js';

/** MongoDB's limit of one document. */
export const MAX_DOCUMENT_SIZE = 16 * 1024 * 1024;

interface UniqueValues {
  readonly index: IndexBTree;
  readonly values: string;
}

/**
 * Writes documents for one command, in its transaction or straight to the collections. Each method answers nothing when it
 * has written, or the other transaction that must end first; the caller then waits, looks at the document again and retries.
 */
export class Writer {
  constructor(
    private readonly store: Store,
    readonly transaction: Transaction | undefined,
  ) {}

  /** The document as this writer sees it: its own transaction's version, else the committed one. */
  visible(collection: Collection, idKey: string): Buffer | undefined {
    const own = this.transaction?.ownVersion(collection, idKey);
    if (own !== undefined) return own ?? undefined;
    return collection.records.get(idKey)?.bytes;
  }

  /** Inserts a document. Throws DuplicateKey. */
  insert(collection: Collection, idKey: string, bytes: Buffer): LockHolder | undefined {
    const blocker = this.#blocker(collection, idKey);
    if (blocker) return blocker;
    if (this.visible(collection, idKey)) throw duplicateKey(collection, collection.idIndex, bytes);
    return this.#write(collection, idKey, bytes);
  }

  /** Puts new bytes, in which `changed` fields differ, in place of a document that is visible. Throws DuplicateKey. */
  replace(collection: Collection, idKey: string, bytes: Buffer, changed: ChangedFields): LockHolder | undefined {
    return this.#blocker(collection, idKey) ?? this.#write(collection, idKey, bytes, changed);
  }

  /** Deletes a document. */
  delete(collection: Collection, idKey: string): LockHolder | undefined {
    const blocker = this.#blocker(collection, idKey);
    if (blocker) return blocker;
    if (this.transaction) this.transaction.write(collection, idKey, null, []);
    else this.store.remove(collection, idKey);
    return undefined;
  }

  /** Throws WriteConflict when a transaction finds nothing to change in a document that somebody else has changed. */
  assertCurrent(collection: Collection, idKey: string): void {
    if (this.transaction) this.#blocker(collection, idKey);
  }

  /** Who holds the document. In a transaction that is a conflict, and so is a commit after the transaction began. */
  #blocker(collection: Collection, idKey: string): LockHolder | undefined {
    if (!this.transaction && collection.locks.size === 0) return undefined;
    const holder = collection.locks.get(idKey);
    if (holder === this.transaction && holder) return undefined;
    if (!this.transaction) return holder;
    const record = collection.records.get(idKey);
    if (holder || (record && record.version > this.transaction.startVersion)) throw writeConflict();
    return undefined;
  }

  #write(collection: Collection, idKey: string, bytes: Buffer, changed?: ChangedFields): LockHolder | undefined {
    if (bytes.length > MAX_DOCUMENT_SIZE) {
      throw new CommandError(10334, `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_SIZE}(16MB)`);
    }
    collection.ensureIndexes();
    const unique: UniqueValues[] = [];
    for (const index of collection.indexes) {
      if (!index.spec.unique || (!this.transaction && !index.dependsOn(changed))) continue;
      const number = collection.records.get(idKey)?.number ?? 0;
      for (const key of index.keysOf(bytes, number)) {
        const blocker = this.#uniqueBlocker(collection, index, key, idKey, bytes);
        if (blocker) return blocker;
        unique.push({ index, values: key.slice(0, -RECORD_NUMBER_SIZE) });
      }
    }
    if (this.transaction) {
      collection.assertIndexable(bytes);
      this.transaction.write(collection, idKey, bytes, unique);
    } else this.store.put(collection, idKey, bytes, changed);
    return undefined;
  }

  /** Throws DuplicateKey when somebody else has the unique values for good; answers who holds them for now. */
  #uniqueBlocker(collection: Collection, index: IndexBTree, key: string, idKey: string, bytes: Buffer): LockHolder | undefined {
    if (index.reserved.size > 0) {
      const reservation = index.reserved.get(key.slice(0, -RECORD_NUMBER_SIZE));
      if (reservation && reservation.idKey !== idKey) {
        if (reservation.owner === this.transaction) throw duplicateKey(collection, index, bytes);
        if (this.transaction) throw writeConflict();
        return reservation.owner;
      }
    }
    for (const holder of index.holders(key)) {
      if (holder.idKey === idKey) continue;
      const lock = collection.locks.get(holder.idKey);
      if (!lock) throw duplicateKey(collection, index, bytes);
      if (lock === this.transaction) continue;
      if (this.transaction) throw writeConflict();
      return lock;
    }
    return undefined;
  }
}
