import { BSON, type RawValue } from '../bson/raw.js';
import { CommandError } from '../errors.js';
import { Transaction } from '../transactions.js';
import { putCollection, putMeta, readCatalog, removeCollection } from './catalog.js';
import { Collection } from './collection.js';
import type { Batch, CommitQueue } from './commit-queue.js';
import { gatherTransaction } from './commit.js';
import type { Database, View } from './database.js';
import { Index, type IndexSpec } from './index.js';
import { droppedKey, PREFIX_SIZE, rangeOfKind } from './key-space.js';

/** All collections by namespace (`database.collection`), and the way of every change to the database. */
export class Store {
  readonly collections = new Map<string, Collection>();
  /** Open transactions that clients have begun. */
  readonly transactions = new Set<Transaction>();
  /** When documents were committed last, for as long as a transaction is open that began before. */
  readonly #committedAt = new Map<string, number>();
  #nextId: number;

  private constructor(
    readonly database: Database,
    private readonly queue: CommitQueue,
    collections: readonly Collection[],
    nextId: number,
  ) {
    for (const collection of collections) this.collections.set(collection.namespace, collection);
    this.#nextId = nextId;
  }

  /** Reads the catalog of a database. @throws StoreDamagedError */
  static async open(database: Database, queue: CommitQueue): Promise<Store> {
    const { collections, nextId } = await readCatalog(database);
    return new Store(database, queue, collections, nextId);
  }

  /** The state after the last commit. */
  get current(): View {
    return this.database.current;
  }

  find(namespace: string): Collection | undefined {
    return this.collections.get(namespace);
  }

  /** The collection, made now if there is none. Throws InvalidNamespace. */
  async getOrCreate(namespace: string): Promise<Collection> {
    const found = this.collections.get(namespace);
    if (found) return found;
    assertNamespace(namespace);
    const collection = new Collection(this.database, this.#nextId++, namespace, this.#nextId++);
    this.collections.set(namespace, collection);
    await this.#changeCatalog((batch) => putCollection(batch, collection));
    return collection;
  }

  async drop(namespace: string): Promise<boolean> {
    const collection = this.collections.get(namespace);
    if (!collection) return false;
    this.collections.delete(namespace);
    const prefixes = [collection.rowPrefix, ...collection.indexes.map((index) => index.prefix)];
    await this.#changeCatalog((batch) => {
      removeCollection(batch, collection);
      for (const prefix of prefixes) batch.set(droppedKey(prefix), Buffer.alloc(0));
    });
    return true;
  }

  /** Moves a collection to another namespace, in place of what is there. */
  async rename(from: string, to: string): Promise<void> {
    const collection = this.collections.get(from);
    if (!collection) throw new CommandError(26, `Source collection ${from} does not exist`);
    assertNamespace(to);
    if (this.collections.has(to)) await this.drop(to);
    this.collections.delete(from);
    collection.namespace = to;
    this.collections.set(to, collection);
    await this.#changeCatalog((batch) => putCollection(batch, collection));
  }

  /** Adds an index that is written from now on, and read when it is built. */
  async addIndex(collection: Collection, spec: IndexSpec): Promise<Index> {
    const index = new Index(this.#nextId++, spec, [], false);
    collection.indexes.push(index);
    await this.#changeCatalog((batch) => putCollection(batch, collection));
    return index;
  }

  async saveIndexes(collection: Collection): Promise<void> {
    await this.#changeCatalog((batch) => putCollection(batch, collection));
  }

  async dropIndex(collection: Collection, index: Index): Promise<void> {
    collection.indexes.splice(collection.indexes.indexOf(index), 1);
    await this.#changeCatalog((batch) => {
      putCollection(batch, collection);
      batch.set(droppedKey(index.prefix), Buffer.alloc(0));
    });
  }

  #changeCatalog(gather: (batch: Batch) => void): Promise<void> {
    return this.queue.write({
      gather: (batch) => {
        gather(batch);
        putMeta(batch, this.#nextId);
      },
    });
  }

  /** Adds changes that were made from the current state, with nobody else's beside them. */
  changeAlone(gather: (batch: Batch) => void): Promise<void> {
    return this.queue.write({ gather, alone: true });
  }

  /** Begins a transaction of a client: it reads what is there now, and a later commit of what it writes is a conflict. */
  beginTransaction(): Transaction {
    const transaction = new Transaction(this.current.retain());
    this.transactions.add(transaction);
    void transaction.ended.then(() => {
      this.transactions.delete(transaction);
      if (this.transactions.size === 0) this.#committedAt.clear();
    });
    return transaction;
  }

  /** Writes what a transaction has changed, and ends it. What fails leaves it open. */
  async commit(transaction: Transaction): Promise<void> {
    if (transaction.overlays.size > 0) {
      await this.queue.write({
        gather: (batch) => gatherTransaction(batch, this.current, transaction),
        done: () => {
          if (this.transactions.size > 0) this.#note(transaction);
          transaction.finish();
        },
      });
    }
    transaction.finish();
  }

  #note(transaction: Transaction): void {
    const { version } = this.current;
    for (const [collection, overlay] of transaction.overlays)
      for (const idKey of overlay.keys()) this.#committedAt.set(collection.rowPrefix + idKey, version);
  }

  /** Whether a document was committed after a view. */
  changedSince(view: View, collection: Collection, idKey: string): boolean {
    const version = this.#committedAt.get(collection.rowPrefix + idKey);
    return version !== undefined && version > view.version;
  }

  /** Clears what was dropped. */
  async clearDropped(): Promise<void> {
    for (const [key] of await this.database.entries(rangeOfKind('d'))) {
      const prefix = key.slice(-PREFIX_SIZE);
      await this.database.clear({ gte: prefix, lt: `${prefix}\u0100` });
      await this.changeAlone((batch) => batch.remove(key));
    }
  }

  /** Writes what is under way, and closes the database. */
  async close(): Promise<void> {
    for (const transaction of this.transactions) transaction.finish();
    await this.queue.close();
    await this.database.close();
  }
}

function assertNamespace(namespace: string): void {
  const dot = namespace.indexOf('.');
  const name = namespace.slice(dot + 1);
  if (dot < 1 || name === '' || name.includes('$') || name.includes('\0') || namespace.length > 255)
    throw new CommandError(73, `Invalid namespace specified '${namespace}'`);
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
