import { IndexBTree, type IndexSpec } from '../storage/index-btree.js';
import { idKeyOf } from '../storage/collection.js';
import type { Store } from '../storage/store.js';
import type { Entry } from './entries.js';

/** Applies a journal entry to a store that does not log. */
export function applyEntry(store: Store, entry: Entry): void {
  if (entry.kind === 'catalog') return applyCatalog(store, entry.change);
  const collection = store.getOrCreate(entry.namespace);
  const idKey = idKeyOf(entry.bytes);
  if (idKey === undefined) return;
  if (entry.kind === 'put') collection.put(idKey, entry.bytes);
  else collection.remove(idKey);
}

interface CatalogChange {
  readonly create?: string;
  readonly drop?: string;
  readonly rename?: string;
  readonly to?: string;
  readonly createIndex?: string;
  readonly spec?: IndexSpec;
  readonly dropIndex?: string;
  readonly name?: string;
}

function applyCatalog(store: Store, change: CatalogChange): void {
  if (change.create !== undefined) store.getOrCreate(change.create);
  else if (change.drop !== undefined) store.drop(change.drop);
  else if (change.rename !== undefined && change.to !== undefined) store.rename(change.rename, change.to);
  else if (change.createIndex !== undefined && change.spec) {
    const collection = store.getOrCreate(change.createIndex);
    if (change.spec.name !== '_id_') collection.indexes.push(new IndexBTree(change.spec, () => collection.records.values()));
  } else if (change.dropIndex !== undefined) {
    const indexes = store.find(change.dropIndex)?.indexes ?? [];
    const at = indexes.findIndex((i) => i.spec.name === change.name);
    if (at >= 0) indexes.splice(at, 1);
  }
}
