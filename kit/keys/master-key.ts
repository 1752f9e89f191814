import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeSync, closeSync, fsyncSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What keys are derived for, and what a rotation of the master key does with what they protect: `resealed` is opened under the old key and
 * sealed under the new one; `kept` is only verified, under the old key of that purpose, which the store keeps sealed under the new master key;
 * `renewed` begins anew, because it lives for minutes or is never compared with what was.
 */
export const KEY_USES = {
  'signing-keys/session': 'resealed',
  'signing-keys/auth-context': 'resealed',
  'signing-keys/link': 'resealed',
  'signing-keys/device': 'resealed',
  'signing-keys/saml-request': 'resealed',
  totp: 'resealed',
  'oauth-client': 'resealed',
  'oauth-state': 'resealed',
  siem: 'resealed',
  integrations: 'resealed',
  'cloud-accounts': 'resealed',
  'webhook-secrets': 'resealed',
  mail: 'resealed',
  'former-keys': 'resealed',
  'audit/head': 'resealed',
  'audit/segment': 'resealed',
  'audit/epoch': 'resealed',
  audit: 'kept',
  'audit/erasure': 'kept',
  'recovery-codes': 'kept',
  'audit/address': 'renewed',
  'audit/verification': 'renewed',
  'mailed-codes': 'renewed',
  fingerprint: 'renewed',
} as const satisfies Record<string, 'resealed' | 'kept' | 'renewed'>;
export type KeyUse = keyof typeof KEY_USES;
/** The uses whose keys outlive their master key. */
export type KeptKeyUse = { [Use in KeyUse]: (typeof KEY_USES)[Use] extends 'kept' ? Use : never }[KeyUse];
export const KEPT_KEY_USES = (Object.keys(KEY_USES) as KeyUse[]).filter((use): use is KeptKeyUse => KEY_USES[use] === 'kept');

/** What is left of a master key that was replaced: it verifies what was made under it, and opens and makes nothing. */
export interface FormerMasterKey {
  readonly fingerprint: string;
  derive(purpose: KeptKeyUse): Buffer;
}

/** The secret outside the database that all keys of a deployment derive from (decisions 27, 29). */
export interface MasterKey {
  /** Names the key and tells nothing of it: 32 hex digits. */
  readonly fingerprint: string;
  /** The keys before this one. */
  readonly former: readonly FormerMasterKey[];
  /** 32 bytes for one purpose (HKDF-SHA-256, RFC 5869). */
  derive(purpose: KeyUse): Buffer;
}

const KEY_BYTES = 32;
/** The file of a data folder that holds its master key. */
export const KEY_FILE = 'master.key';

/** The master key that a secret is. */
export function masterKeyOf(secret: string | Buffer): MasterKey {
  const derive = (purpose: KeyUse) => Buffer.from(hkdfSync('sha256', secret, 'palisade', purpose, KEY_BYTES));
  return { derive, former: [], fingerprint: createHash('sha256').update(derive('fingerprint')).digest('hex').slice(0, 32) };
}

/**
 * The master key: PALISADE_SECRET, else the file `master.key` of the data folder (made at the first start, readable by
 * its owner only), else a random one that ends with the process.
 */
export function openMasterKey(config: { PALISADE_SECRET?: string; dataDir: string | null }): MasterKey {
  return masterKeyOf(config.PALISADE_SECRET ?? (config.dataDir === null ? randomBytes(KEY_BYTES) : keyFile(config.dataDir)));
}

function keyFile(folder: string): Buffer {
  const path = join(folder, KEY_FILE);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  makeKeyFile(path);
  return readKeyFile(path);
}

/** Writes a random key to a file of its owner's, unless the file is there. */
export function makeKeyFile(path: string): void {
  try {
    const handle = openSync(path, 'wx', 0o600);
    writeSync(handle, randomBytes(KEY_BYTES).toString('base64url'));
    fsyncSync(handle);
    closeSync(handle);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The key in a file. @throws when the file holds none */
export function readKeyFile(path: string): Buffer {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url');
  if (key.length !== KEY_BYTES) throw new Error(`${path} does not hold a key of ${KEY_BYTES} bytes; restore it from a backup`);
  return key;
}
