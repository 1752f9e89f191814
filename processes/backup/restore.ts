import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../kit/base/config.js';
import { KEY_FILE, masterKeyOf, readKeyFile } from '../../kit/keys/master-key.js';
import { RESTORING } from '../store.js';
import { BackupError, checksumOf, copyChecked, readManifest, type BackupFile, type Manifest } from './manifest.js';

/**
 * Puts a backup into an empty or absent data folder (one that holds nothing but its `master.key` counts as empty). Everything is checked before
 * the folder is touched, and again as it is copied. While it is under way the folder holds `.restoring`, and nothing starts on it.
 * @param keyFile a copy of the data folder's key; PALISADE_SECRET, or the folder's own file, when absent
 * @throws BackupError when the backup is not whole, the key is another one, or the folder holds anything
 */
export async function restore(config: Config, from: string, keyFile: string | undefined): Promise<Manifest> {
  const [backup, data] = [resolve(from), resolve(config.dataDir!)];
  const manifest = readManifest(backup);
  assertEmpty(data);
  assertKey(manifest, config, keyFile ?? join(data, KEY_FILE));
  for (const file of manifest.files) await assertWhole(file, () => checksumOf(join(backup, file.path)));

  const aside = join(data, RESTORING);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { mode: 0o700 });
  for (const name of ['store', 'objects']) rmSync(join(data, name), { recursive: true, force: true });
  for (const file of manifest.files) await assertWhole(file, () => copyChecked(join(backup, file.path), join(aside, file.path)));
  if (config.PALISADE_SECRET === undefined && keyFile !== undefined) copyFileSync(keyFile, join(data, KEY_FILE));
  if (existsSync(join(aside, 'objects'))) cpSync(join(aside, 'objects'), config.OBJECT_DIR ?? join(data, 'objects'), { recursive: true });
  renameSync(join(aside, 'store'), join(data, 'store'));
  rmSync(aside, { recursive: true });
  return manifest;
}

/** What a restore that was killed has left counts as nothing. */
function assertEmpty(data: string): void {
  const names = existsSync(data) ? readdirSync(data) : [];
  if (names.includes(RESTORING)) return;
  const others = names.filter((name) => name !== KEY_FILE);
  if (others.length > 0) throw new BackupError(`${data} is not empty: ${others.slice(0, 3).join(', ')}`);
}

function assertKey({ master_key }: Manifest, { PALISADE_SECRET }: Config, file: string): void {
  if (PALISADE_SECRET === undefined && !existsSync(file))
    throw new BackupError(`the backup was made under the master key ${master_key}: set PALISADE_SECRET, or name its copy with --key-file`);
  const { fingerprint } = masterKeyOf(PALISADE_SECRET ?? readKeyFile(file));
  if (fingerprint !== master_key)
    throw new BackupError(
      `the backup was made under the master key ${master_key}, and ${PALISADE_SECRET ? 'PALISADE_SECRET' : file} is ${fingerprint}`,
    );
}

async function assertWhole(file: BackupFile, read: () => Promise<Omit<BackupFile, 'path'>>): Promise<void> {
  const seen = await read().catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError(`${file.path} is missing in the backup`) : error;
  });
  if (seen.bytes !== file.bytes || seen.sha256 !== file.sha256) throw new BackupError(`${file.path} is damaged in the backup`);
}
