import { BSON, readInt64 } from '../bson/raw.js';
import { rawValueOf } from '../bson/write.js';
import { boundsOf, rangeOf } from '../plan/bounds.js';
import { someAtPath } from '../query/path.js';
import type { Collection } from './collection.js';
import type { IndexBTree } from './index-btree.js';
import type { StoredRecord } from './record.js';
import type { Store } from './store.js';

/** Deletes the documents whose time is up by a TTL index. Documents that a transaction holds wait for the next sweep. */
export function sweepExpired(store: Store, now = Date.now()): void {
  for (const collection of store.collections.values()) {
    for (const index of collection.indexes) {
      if (index.spec.expireAfterSeconds !== undefined) sweepIndex(store, collection, index, now - index.spec.expireAfterSeconds * 1000);
    }
  }
}

function sweepIndex(store: Store, collection: Collection, index: IndexBTree, latest: number): void {
  const { path, descending } = index.components[0]!;
  const bounds = boundsOf({ kind: 'compare', path, operator: '$lte', value: rawValueOf(new Date(latest)) });
  const range = rangeOf('', bounds[0]!.intervals[0]!, descending);
  const due: StoredRecord[] = [];
  for (const [key, record] of index.tree.entries(range.low)) {
    if (key >= range.high) break;
    due.push(record);
  }
  for (const record of due)
    if (!collection.locks.has(record.idKey) && isDue(record.bytes, path, latest)) store.remove(collection, record.idKey);
}

/** Of an array of dates the earliest counts. */
function isDue(bytes: Buffer, path: IndexBTree['components'][number]['path'], latest: number): boolean {
  return someAtPath(bytes, 0, path, 0, true, (type, buf, off) => type === BSON.date && readInt64(buf, off) <= latest);
}
