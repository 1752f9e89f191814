import { CommandError, writeConflict } from '../errors.js';
import { Transaction } from '../transactions.js';
import { duplicateKey, idKeyOf, type Collection } from './collection.js';
import type { View } from './database.js';
import { valuesOf, type ChangedFields, type Index } from './index.js';
import type { LockHolder } from './lock-holder.js';
import type { Store } from './store.js';

/** MongoDB's limit of one document. */
export const MAX_DOCUMENT_SIZE = 16 * 1024 * 1024;

/** A command's changes are committed when they are this many: those of a bulk write need not be one step. */
const MOST_CHANGES = 100;

interface UniqueValues {
  readonly index: Index;
  readonly values: string;
}

/**
 * Writes documents for one command: in its client's transaction, or in one of its own. `insert`, `replace` and `delete` answer nothing when they
 * have written, or the other transaction that must end first; the caller then waits by `waitFor`, looks at the document again and retries.
 */
export class Writer {
  readonly #client: Transaction | undefined;
  #own: Transaction | undefined;
  #changes = 0;

  constructor(
    private readonly store: Store,
    client: Transaction | undefined,
  ) {
    this.#client = client;
  }

  /** Whose changes this writer sees beside what is committed. */
  get transaction(): Transaction | undefined {
    return this.#client ?? this.#own;
  }

  get #view(): View {
    return this.#client?.view ?? this.store.current;
  }

  /** The document as this writer sees it: its own version, else the committed one. */
  visible(collection: Collection, idKey: string): Buffer | undefined {
    const own = this.transaction?.ownVersion(collection, idKey);
    if (own !== undefined) return own ?? undefined;
    return collection.find(this.#view, idKey)?.bytes;
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
    this.#put(collection, idKey, null, []);
    return undefined;
  }

  /** Throws WriteConflict when a transaction finds nothing to change in a document that somebody else has changed. */
  assertCurrent(collection: Collection, idKey: string): void {
    if (this.#client) this.#blocker(collection, idKey);
  }

  /** Waits until another transaction has ended. What was written so far is committed first, so that two never wait for each other. */
  async waitFor(blocker: LockHolder): Promise<void> {
    await this.commit();
    await blocker.ended;
  }

  /** Commits what was written, once it is much. */
  async commitMuch(): Promise<void> {
    if (this.#changes >= MOST_CHANGES) await this.commit();
  }

  /** Commits what was written; in a client's transaction that is the client's to do. */
  async commit(): Promise<void> {
    const own = this.#own;
    if (!own) return;
    this.#own = undefined;
    this.#changes = 0;
    try {
      await this.store.commit(own);
    } finally {
      own.finish();
    }
  }

  /** Who holds the document. In a client's transaction that is a conflict, and so is a commit after it began. */
  #blocker(collection: Collection, idKey: string): LockHolder | undefined {
    const holder = collection.locks.get(idKey);
    if (holder && holder === this.transaction) return undefined;
    if (!this.#client) return holder;
    if (holder || this.store.changedSince(this.#view, collection, idKey)) throw writeConflict();
    return undefined;
  }

  #write(collection: Collection, idKey: string, bytes: Buffer, changed?: ChangedFields): LockHolder | undefined {
    if (bytes.length > MAX_DOCUMENT_SIZE) {
      throw new CommandError(10334, `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_SIZE}(16MB)`);
    }
    const unique: UniqueValues[] = [];
    const touched = this.transaction?.ownVersion(collection, idKey) !== undefined;
    for (const index of collection.indexes) {
      if (!index.unique || index === collection.idIndex) continue;
      // a document that this transaction has written already holds values that would else be given up
      if (!touched && !index.dependsOn(changed)) continue;
      for (const key of index.keysOf(bytes, 0)) {
        const values = valuesOf(key);
        const blocker = this.#uniqueBlocker(collection, index, values, idKey, bytes);
        if (blocker) return blocker;
        unique.push({ index, values });
      }
    }
    collection.assertIndexable(bytes, changed);
    this.#put(collection, idKey, bytes, unique);
    return undefined;
  }

  #put(collection: Collection, idKey: string, bytes: Buffer | null, unique: readonly UniqueValues[]): void {
    const transaction = this.transaction ?? (this.#own = new Transaction(null));
    transaction.write(collection, idKey, bytes, unique);
    this.#changes++;
  }

  /** Throws DuplicateKey when somebody else has the unique values for good; answers who holds them for now. */
  #uniqueBlocker(collection: Collection, index: Index, values: string, idKey: string, bytes: Buffer): LockHolder | undefined {
    const reservation = index.reserved.get(values);
    if (reservation && reservation.idKey !== idKey) {
      if (reservation.owner === this.transaction) throw duplicateKey(collection, index, bytes);
      if (this.#client) throw writeConflict();
      return reservation.owner;
    }
    const holder = this.#holderOf(collection, index, values);
    if (holder === undefined || holder === idKey) return undefined;
    const lock = collection.locks.get(holder);
    if (lock && lock === this.transaction) {
      const own = this.transaction.ownVersion(collection, holder);
      if (own && index.keysOf(own, 0).some((key) => valuesOf(key) === values)) throw duplicateKey(collection, index, bytes);
      return undefined;
    }
    if (this.#client && (lock || this.store.changedSince(this.#view, collection, holder))) throw writeConflict();
    if (!lock) throw duplicateKey(collection, index, bytes);
    return lock;
  }

  /** The _id of the committed document with these unique values. */
  #holderOf(collection: Collection, index: Index, values: string): string | undefined {
    const view = this.store.current;
    const number = this.store.database.point(view, index.prefix + values);
    const bytes = number === undefined ? undefined : collection.bytesOf(view, number);
    return bytes && idKeyOf(bytes);
  }
}
