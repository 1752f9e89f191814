import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../kit/base/config.js';
import { Database } from '../../kit/store/database.js';
import { KEY_FILE, openMasterKey } from '../../kit/keys/master-key.js';
import { assertIsUnder } from '../master-key/rotate.js';
import { joinStore } from '../store.js';
import { version } from '../version.js';
import { BackupError, checksumOf, copyChecked, writeManifest, type BackupFile, type Manifest } from './manifest.js';

/** An upload, and the digest beside it. */
const OBJECT = /^[0-9a-f-]{36}(?:\.sha256)?$/;
const SNAPSHOT = 'store/snapshot-00000001.bin';

/**
 * Backs a data folder up into an empty or absent folder, beside a running server or without one: all that was acknowledged before the call, as it
 * stood at one moment, and the uploads that wait. The master key is not among it, only its fingerprint.
 * @throws BackupError over MongoDB, without data, into a folder that holds anything
 */
export async function backUp(config: Config, to: string): Promise<Manifest> {
  const folder = resolve(to);
  if (config.MONGODB_URI)
    throw new BackupError(
      `over MongoDB a backup is a snapshot of your provider or \`mongodump --oplog\` (docs/deployment.md); keep the fingerprint of the master key with it: ${openMasterKey(config).fingerprint}`,
    );
  const { dataDir } = config;
  if (dataDir === null || !existsSync(join(dataDir, 'store'))) throw new BackupError(`there is no data in ${dataDir ?? 'memory'}`);
  if (config.PALISADE_SECRET === undefined && !existsSync(join(dataDir, KEY_FILE)))
    throw new BackupError(`${join(dataDir, KEY_FILE)} is missing: set the PALISADE_SECRET of the server`);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new BackupError(`${folder} is not empty`);
  mkdirSync(join(folder, 'store'), { recursive: true, mode: 0o700 });
  const masterKey = openMasterKey(config);
  const store = await joinStore(config);
  try {
    const database = await Database.open(store.uri, config.MONGODB_DB, []);
    try {
      await assertIsUnder(database, masterKey);
      // uploads before and after: those that the snapshot waits for may be taken away behind it
      const files = new Map<string, BackupFile>();
      await copyObjects(store.objectFolder, folder, files);
      await database.writeCheckpoint(join(folder, SNAPSHOT));
      await copyObjects(store.objectFolder, folder, files);
      files.set(SNAPSHOT, { path: SNAPSHOT, ...(await checksumOf(join(folder, SNAPSHOT))) });
      const about = { format: 'palisade backup', layout: 1, version, made_at: new Date().toISOString() } as const;
      const manifest: Manifest = { ...about, master_key: masterKey.fingerprint, files: [...files.values()] };
      writeManifest(folder, manifest);
      return manifest;
    } finally {
      await database.close();
    }
  } finally {
    await store.close();
  }
}

/** Copies the staged uploads that are whole and not copied yet. One that is removed meanwhile was done with. */
async function copyObjects(from: string, to: string, files: Map<string, BackupFile>): Promise<void> {
  if (!existsSync(from)) return;
  for (const tenant of readdirSync(from)) {
    for (const id of readdirIfThere(join(from, tenant)).filter((name) => OBJECT.test(name))) {
      const path = `objects/${tenant}/${id}`;
      if (files.has(path)) continue;
      try {
        files.set(path, { path, ...(await copyChecked(join(from, tenant, id), join(to, path))) });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
  }
}

function readdirIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
