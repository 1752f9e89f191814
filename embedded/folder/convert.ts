import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { idKeyOf, type Collection } from '../storage/collection.js';
import { CommitQueue } from '../storage/commit-queue.js';
import { Database } from '../storage/database.js';
import type { IndexSpec } from '../storage/index.js';
import { Store } from '../storage/store.js';
import { Writer } from '../storage/writer.js';
import { buildIndex } from '../storage/build-index.js';
import { readRecords } from '../snapshot/read.js';
import type { Entry } from '../snapshot/entries.js';
import { formerPath, journalPath, rowsPath, snapshotFiles, syncFolder, unfinishedPath } from './files.js';

/** What the journal of a release that had journals shows instead of a record: it refuses the folder and names this file. */
const REFUSAL = 'This folder belongs to a later release of Palisade, which keeps its rows in the folder "rows".\n';

/**
 * Makes the database of a folder that has none: from the snapshot and the journals of an earlier release, or from a backup, or empty. It is made
 * aside and put in place as a whole; what it was made from is kept until the database has been opened once more.
 * @returns what somebody should know
 * @throws StoreDamagedError when a file is damaged
 */
export async function prepareRows(dir: string): Promise<string[]> {
  const rows = rowsPath(dir);
  const { snapshot, journals } = snapshotFiles(dir);
  const files = [...(snapshot === undefined ? [] : [snapshot]), ...journals].filter((path) => !isRefusal(path));
  let warnings: string[] = [];
  if (!existsSync(rows) && files.length > 0) {
    const unfinished = unfinishedPath(dir);
    rmSync(unfinished, { recursive: true, force: true });
    warnings = await convert(files, journals.at(-1), unfinished);
    renameSync(unfinished, rows);
    syncFolder(dir);
  }
  if (files.length > 0) {
    mkdirSync(formerPath(dir), { recursive: true, mode: 0o700 });
    for (const path of files) renameSync(path, join(formerPath(dir), basename(path)));
  }
  if (!existsSync(journalPath(dir))) writeFileSync(journalPath(dir), REFUSAL, { mode: 0o600 });
  syncFolder(dir);
  return warnings;
}

function isRefusal(path: string): boolean {
  return statSync(path).size === REFUSAL.length && readFileSync(path, 'latin1') === REFUSAL;
}

async function convert(files: readonly string[], last: string | undefined, to: string): Promise<string[]> {
  const warnings: string[] = [];
  const database = await Database.open(to);
  const fail = (error: Error): void => void warnings.push(error.message);
  const store = await Store.open(
    database,
    new CommitQueue(
      database,
      () => undefined,
      () => undefined,
      fail,
    ),
  );
  const indexes = new Map<string, Map<string, IndexSpec>>();
  for (const file of files) {
    for (const { entries, tornAt } of readRecords(file, file === last)) {
      await applyAll(store, entries, indexes);
      if (tornAt !== undefined) warnings.push(`${file}: the last record, at offset ${tornAt}, was not written completely and is left out`);
    }
  }
  for (const [namespace, specs] of indexes) {
    const collection = store.find(namespace);
    if (!collection) continue;
    for (const spec of specs.values()) await buildIndex(store, collection, await store.addIndex(collection, spec));
  }
  await store.close();
  return warnings;
}

/** Applies the entries of a record; indexes are noted and made at the end. */
async function applyAll(store: Store, entries: readonly Entry[], indexes: Map<string, Map<string, IndexSpec>>): Promise<void> {
  const writer = new Writer(store, undefined);
  for (const entry of entries) {
    if (entry.kind === 'catalog') {
      await writer.commit();
      await applyCatalog(store, entry.change, indexes);
      continue;
    }
    const collection = await store.getOrCreate(entry.namespace);
    applyRow(writer, collection, entry);
    await writer.commitMuch();
  }
  await writer.commit();
}

function applyRow(writer: Writer, collection: Collection, { kind, bytes }: Exclude<Entry, { kind: 'catalog' }>): void {
  const idKey = idKeyOf(bytes);
  if (idKey === undefined) return;
  if (kind === 'remove') writer.delete(collection, idKey);
  else writer.replace(collection, idKey, bytes, new Set(['*']));
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

async function applyCatalog(store: Store, change: CatalogChange, indexes: Map<string, Map<string, IndexSpec>>): Promise<void> {
  if (change.create !== undefined) await store.getOrCreate(change.create);
  else if (change.drop !== undefined) {
    await store.drop(change.drop);
    indexes.delete(change.drop);
  } else if (change.rename !== undefined && change.to !== undefined) {
    await store.rename(change.rename, change.to);
    const moved = indexes.get(change.rename);
    indexes.delete(change.rename);
    if (moved) indexes.set(change.to, moved);
  } else if (change.createIndex !== undefined && change.spec) {
    if (change.spec.name === '_id_') return;
    const specs = indexes.get(change.createIndex) ?? new Map<string, IndexSpec>();
    indexes.set(change.createIndex, specs.set(change.spec.name, change.spec));
  } else if (change.dropIndex !== undefined) indexes.get(change.dropIndex)?.delete(change.name ?? '');
}
