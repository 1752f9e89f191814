import { BSON, readInt64 } from '../bson/raw.js';
import { rawDocument, toRaw } from '../bson/write.js';
import { QueryRun } from '../plan/query-run.js';
import { parseFilter } from '../query/parse.js';
import { someAtPath } from '../query/path.js';
import { idKeyOf, type Collection } from './collection.js';
import type { Index } from './index.js';
import type { Store } from './store.js';
import { Writer } from './writer.js';

/** Deletes the documents whose time is up by a TTL index. Documents that a transaction holds wait for the next sweep. */
export async function sweepExpired(store: Store, now = Date.now()): Promise<void> {
  for (const collection of [...store.collections.values()]) {
    for (const index of collection.indexes) {
      if (index.built && index.spec.expireAfterSeconds !== undefined)
        await sweepIndex(store, collection, index, now - index.spec.expireAfterSeconds * 1000);
    }
  }
}

async function sweepIndex(store: Store, collection: Collection, index: Index, latest: number): Promise<void> {
  const { path } = index.components[0]!;
  const filter = parseFilter(rawDocument(toRaw({ [path.text]: { $lte: new Date(latest) } })));
  const due: string[] = [];
  const query = await QueryRun.open({ collection, filter, hint: index.spec.name });
  for await (const batch of query.batches()) for (const bytes of batch) due.push(idKeyOf(bytes)!);
  const writer = new Writer(store, undefined);
  for (const idKey of due) {
    const bytes = writer.visible(collection, idKey);
    if (bytes && !collection.locks.has(idKey) && isDue(bytes, path, latest)) writer.delete(collection, idKey);
    await writer.commitMuch();
  }
  await writer.commit();
}

/** Of an array of dates the earliest counts. */
function isDue(bytes: Buffer, path: Index['components'][number]['path'], latest: number): boolean {
  return someAtPath(bytes, 0, path, 0, true, (type, buf, off) => type === BSON.date && readInt64(buf, off) <= latest);
}
