import { decodeDocument } from '../bson/decode.js';
import { toRaw } from '../bson/write.js';
import { StoreDamagedError } from '../folder/errors.js';
import { Collection, type Sizes } from './collection.js';
import type { Batch } from './commit-queue.js';
import type { Database } from './database.js';
import { Index, type IndexEntry } from './index.js';
import { catalogKey, META_KEY, rangeOfKind, sizesKey } from './key-space.js';

/** Of the form of keys and values. A store of a later form is refused. */
const FORM = 1;

interface CollectionEntry {
  readonly id: number;
  readonly namespace: string;
  readonly indexes: readonly IndexEntry[];
}

/** What is written with every change of a collection. */
interface SizesEntry extends Sizes {
  readonly next: number;
}

/** Adds a collection, as it is, to a batch. */
export function putCollection(batch: Batch, collection: Collection): void {
  const entry: CollectionEntry = {
    id: collection.id,
    namespace: collection.namespace,
    indexes: collection.indexes.map((index) => index.entry),
  };
  batch.set(catalogKey(collection.id), toRaw(entry));
}

export function removeCollection(batch: Batch, collection: Collection): void {
  batch.remove(catalogKey(collection.id));
  batch.remove(sizesKey(collection.id));
}

export function putSizes(batch: Batch, collection: Collection): void {
  batch.set(sizesKey(collection.id), toRaw({ ...collection.sizes, next: collection.nextNumber } satisfies SizesEntry));
}

export function putMeta(batch: Batch, nextId: number): void {
  batch.set(META_KEY, toRaw({ form: FORM, next: nextId }));
}

/** What the catalog of a database holds; an empty database has none. @throws StoreDamagedError for one of another form */
export async function readCatalog(database: Database): Promise<{ collections: Collection[]; nextId: number }> {
  const meta = database.value(database.current, META_KEY);
  if (!meta) return { collections: [], nextId: 1 };
  const { form, next } = decodeDocument(meta) as { form: number; next: number };
  if (form !== FORM) throw new StoreDamagedError(`the store is of form ${form}; this release reads form ${FORM}`);
  const collections: Collection[] = [];
  for (const [, value] of await database.entries(rangeOfKind('c'))) {
    const { id, namespace, indexes } = decodeDocument(value) as CollectionEntry;
    const [idIndex, ...others] = indexes;
    const collection = new Collection(database, id, namespace, idIndex!.id);
    for (const index of others) collection.indexes.push(new Index(index.id, index.spec, index.arrays, index.built));
    const stored = database.value(database.current, sizesKey(id));
    if (stored) {
      const { count, bytes, next: nextNumber } = decodeDocument(stored) as SizesEntry;
      collection.sizes = { count, bytes };
      collection.nextNumber = nextNumber;
    }
    collections.push(collection);
  }
  return { collections, nextId: next };
}
