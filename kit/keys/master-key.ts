import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeSync, closeSync, fsyncSync } from 'node:fs';
import { join } from 'node:path';

/** The secret outside the database that all keys of a deployment derive from (decisions 27, 29). */
export interface MasterKey {
  /** 32 bytes for one purpose (HKDF-SHA-256, RFC 5869). */
  derive(purpose: string): Buffer;
}

const KEY_BYTES = 32;

/**
 * The master key: PALISADE_SECRET, else the file `master.key` of the data folder (made at the first start, readable by
 * its owner only), else a random one that ends with the process.
 */
export function openMasterKey(config: { PALISADE_SECRET?: string; dataDir: string | null }): MasterKey {
  const secret = config.PALISADE_SECRET ?? (config.dataDir === null ? randomBytes(KEY_BYTES) : keyFile(config.dataDir));
  return { derive: (purpose) => Buffer.from(hkdfSync('sha256', secret, 'palisade', purpose, KEY_BYTES)) };
}

function keyFile(folder: string): Buffer {
  const path = join(folder, 'master.key');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const handle = openSync(path, 'wx', 0o600);
    writeSync(handle, randomBytes(KEY_BYTES).toString('base64url'));
    fsyncSync(handle);
    closeSync(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url');
  if (key.length !== KEY_BYTES) throw new Error(`${path} does not hold a key of ${KEY_BYTES} bytes; restore it from a backup`);
  return key;
}
