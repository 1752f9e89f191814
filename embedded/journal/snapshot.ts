import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Store } from '../storage/store.js';
import { encodeRecord, type Entry } from './entries.js';
import { listFiles, snapshotPath, syncFolder } from './files.js';

/** Records of a snapshot are about this large: small enough that commands are answered between them. */
const RECORD_BYTES = 1024 * 1024;

/** What a store holds, as entries; documents are taken by reference, which is safe because their bytes never change. */
function captureEntries(store: Store): Entry[] {
  const entries: Entry[] = [];
  for (const [namespace, collection] of store.collections) {
    entries.push({ kind: 'catalog', change: { create: namespace } });
    for (const { spec } of collection.indexes)
      if (spec.name !== '_id_') entries.push({ kind: 'catalog', change: { createIndex: namespace, spec } });
    for (const record of collection.records.values()) entries.push({ kind: 'put', namespace, bytes: record.bytes });
  }
  return entries;
}

async function writeEntries(file: FileHandle, entries: readonly Entry[]): Promise<void> {
  let batch: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    batch.push(entry);
    bytes += entry.kind === 'catalog' ? 1000 : entry.bytes.length;
    if (bytes < RECORD_BYTES) continue;
    await file.writeFile(encodeRecord(batch));
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) await file.writeFile(encodeRecord(batch));
}

/**
 * Writes what the store holds at this moment to a file, beside further changes. It is written aside, synced and renamed, so that there is a whole
 * file of this name or none.
 */
export async function writeCheckpoint(path: string, store: Store): Promise<void> {
  const entries = captureEntries(store);
  const aside = `${path}.tmp`;
  const file = await open(aside, 'w', 0o600);
  try {
    await writeEntries(file, entries);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  syncFolder(dirname(path));
}

/** Writes the store as it is now to the snapshot `number`, and then removes the files that it replaces. */
export async function writeSnapshot(dir: string, number: number, store: Store): Promise<void> {
  await writeCheckpoint(snapshotPath(dir, number), store);
  const { snapshots, journals } = listFiles(dir);
  for (const old of [...snapshots.filter((s) => s.number < number), ...journals.filter((j) => j.number <= number)])
    await rm(old.path, { force: true });
}
