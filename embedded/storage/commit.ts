import { putCollection, putSizes } from './catalog.js';
import { changedFields, type Collection, type Row } from './collection.js';
import type { Batch } from './commit-queue.js';
import type { View } from './database.js';
import { valueOfRow } from './values.js';
import type { Index } from './index.js';
import { rowKey } from './key-space.js';
import { Slice } from './slice.js';
import type { Overlay, Transaction } from '../transactions.js';

/**
 * Adds to a batch what the changes of a transaction are: rows, the entries of their indexes, and the sizes of their collections. It yields to
 * others in between: the documents are locked, and nothing but commits, which wait, moves the view. An index that is added meanwhile is built
 * behind this commit.
 */
export async function gatherTransaction(batch: Batch, view: View, transaction: Transaction): Promise<void> {
  const slice = new Slice();
  // whole or not at all, also where the store closes meanwhile
  for (const [collection, overlay] of [...transaction.overlays]) await gatherCollection(batch, view, collection, overlay, slice);
}

async function gatherCollection(batch: Batch, view: View, collection: Collection, overlay: Overlay, slice: Slice): Promise<void> {
  const indexes = [...collection.indexes];
  const arrays = indexes.map((index) => index.arrayComponents.size);
  let { count, bytes: size } = collection.sizes;
  for (const [idKey, bytes] of overlay) {
    const before = collection.find(view, idKey);
    if (!before && !bytes) continue;
    gatherRow(batch, collection, indexes, before, bytes);
    count += (bytes ? 1 : 0) - (before ? 1 : 0);
    size += (bytes?.length ?? 0) - (before?.bytes.length ?? 0);
    if (slice.over()) await slice.next();
  }
  collection.sizes = { count, bytes: size };
  putSizes(batch, collection);
  if (indexes.some((index, i) => index.arrayComponents.size !== arrays[i])) putCollection(batch, collection);
}

/** Adds to a batch what it takes to put bytes in the place of a row (null: to remove it, no row: to insert it). */
function gatherRow(batch: Batch, collection: Collection, indexes: readonly Index[], before: Row | undefined, bytes: Buffer | null): void {
  const number = before?.number ?? collection.nextNumber++;
  const key = rowKey(collection.rowPrefix, number);
  if (bytes) batch.set(key, valueOfRow(bytes));
  else batch.remove(key);
  const changed = before && bytes ? changedFields(before.bytes, bytes) : undefined;
  const touched = changed ? indexes.filter((index) => index.dependsOn(changed)) : indexes;
  // all keys of a document at once: where its fields lie is looked up once
  const former = touched.map((index) => (before ? index.keysOf(before.bytes, number) : []));
  const present = touched.map((index) => (bytes ? index.keysToWrite(bytes, number) : []));
  touched.forEach((index, i) => gatherKeys(batch, index, number, former[i]!, present[i]!));
}

function gatherKeys(batch: Batch, index: Index, number: number, former: readonly string[], present: readonly string[]): void {
  if (former.length === 1 && present.length === 1 && former[0] === present[0]) return;
  for (const key of former) if (!present.includes(key)) batch.remove(index.place(key));
  for (const key of present) if (!former.includes(key)) batch.set(index.place(key), index.valueFor(number));
}

/** Adds the entries of a row that an index lacks. */
export function gatherEntries(batch: Batch, index: Index, { number, bytes }: Row): void {
  for (const key of index.keysToWrite(bytes, number)) batch.set(index.place(key), index.valueFor(number));
}
