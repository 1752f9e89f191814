import type { Batch } from './commit-queue.js';
import { gatherEntries } from './commit.js';
import { duplicateKey, type Collection, type Row } from './collection.js';
import type { Index } from './index.js';
import { numberAtEnd, rowKey } from './key-space.js';
import type { Store } from './store.js';

/** Rows whose entries are made in one piece, beside which nothing else is written. */
const ROWS_AT_ONCE = 50;

/**
 * Makes the entries of an index that is written already, for the rows that are there; then it may be read.
 * @throws DuplicateKey, without the index, when two rows have the same unique values
 */
export async function buildIndex(store: Store, collection: Collection, index: Index): Promise<void> {
  try {
    for (let next: number | undefined = 0; next !== undefined;) next = await buildFrom(store, collection, index, next);
  } catch (error) {
    await store.dropIndex(collection, index);
    throw error;
  }
  index.built = true;
  await store.saveIndexes(collection);
}

/** Makes the entries of some rows. @returns the record number to go on from; undefined at the end */
async function buildFrom(store: Store, collection: Collection, index: Index, from: number): Promise<number | undefined> {
  const numbers = await numbersFrom(store, collection, from);
  if (numbers.length === 0) return undefined;
  // what is written beside may have changed these rows since they were found: they are looked at again when nothing else is written
  const arrays = index.arrayComponents.size;
  await store.changeAlone((batch) => {
    const taken = new Map<string, number>();
    for (const number of numbers) {
      const bytes = collection.bytesOf(store.current, number);
      if (bytes) gatherChecked(store, batch, collection, index, { number, bytes }, taken);
    }
  });
  if (index.arrayComponents.size !== arrays) await store.saveIndexes(collection);
  return numbers.at(-1)! + 1;
}

async function numbersFrom(store: Store, collection: Collection, from: number): Promise<number[]> {
  const view = store.current.retain();
  const iterator = store.database.walk(view, { gte: rowKey(collection.rowPrefix, from), lt: `${collection.rowPrefix}\u0100` }, false);
  try {
    return (await iterator.nextv(ROWS_AT_ONCE)).map(([key]) => numberAtEnd(key));
  } finally {
    await iterator.close();
    view.release();
  }
}

/** @param taken the unique values of this batch, and who has them */
function gatherChecked(store: Store, batch: Batch, collection: Collection, index: Index, row: Row, taken: Map<string, number>): void {
  if (index.unique) {
    for (const key of index.keysOf(row.bytes, row.number)) {
      const place = index.place(key);
      const holder = taken.get(place) ?? store.database.point(store.current, place);
      if (holder !== undefined && holder !== row.number) throw duplicateKey(collection, index, row.bytes);
      taken.set(place, row.number);
    }
  }
  gatherEntries(batch, index, row);
}
