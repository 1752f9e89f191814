import { open, rename, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../folder/files.js';
import type { Collection } from '../storage/collection.js';
import type { View } from '../storage/database.js';
import { rowOf } from '../storage/values.js';
import { Slice } from '../storage/slice.js';
import type { Store } from '../storage/store.js';
import { encodeRecord, type Entry } from './entries.js';

/** Records of a snapshot are about this large. */
const RECORD_BYTES = 1024 * 1024;

/**
 * Writes what the store holds at this moment to a file, beside further changes. It is written aside, synced and renamed, so that there is a whole
 * file of this name or none.
 */
export async function writeSnapshot(path: string, store: Store): Promise<void> {
  const view = store.current.retain();
  const collections = [...store.collections.values()];
  const aside = `${path}.tmp`;
  const file = await open(aside, 'w', 0o600);
  try {
    for (const collection of collections) {
      await file.writeFile(encodeRecord(catalogOf(collection)));
      await writeRows(file, collection, view);
    }
    await file.sync();
  } finally {
    await file.close();
    view.release();
  }
  await rename(aside, path);
  syncFolder(dirname(path));
}

function catalogOf({ namespace, indexes }: Collection): Entry[] {
  const others = indexes.slice(1).map(({ spec }): Entry => ({ kind: 'catalog', change: { createIndex: namespace, spec } }));
  return [{ kind: 'catalog', change: { create: namespace } }, ...others];
}

async function writeRows(file: FileHandle, collection: Collection, view: View): Promise<void> {
  const slice = new Slice();
  const iterator = collection.database.walk(view, { gte: collection.rowPrefix, lt: `${collection.rowPrefix}\u0100` }, true);
  let record: Entry[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (record.length > 0) await file.writeFile(encodeRecord(record));
    record = [];
    bytes = 0;
  };
  try {
    for (let rows = await iterator.nextv(1000); rows.length > 0; rows = await iterator.nextv(1000)) {
      for (const [key, value] of rows) {
        const entry = { kind: 'put', namespace: collection.namespace, bytes: rowOf(key, value) } as const;
        record.push(entry);
        bytes += entry.bytes.length;
        if (bytes >= RECORD_BYTES) await flush();
      }
      if (slice.over()) await slice.next();
    }
    await flush();
  } finally {
    await iterator.close();
  }
}
