import { defineSystemCollection, type RowOf } from '../store/collection.js';
import { date, nullable, oneOf, text } from '../store/fields.js';
import { ConfigError } from '../base/config.js';
import type { Database } from '../store/database.js';
import { KEPT_KEY_USES, type FormerMasterKey, type KeptKeyUse, type MasterKey } from './master-key.js';
import { seal, unseal } from './seal.js';

/** What the store knows of a master key; `_id` is its fingerprint. There is no row before the first rotation. */
export const masterKeys = defineSystemCollection('master_keys', {
  /** `next` while a rotation to it is under way. */
  state: oneOf('next', 'current', 'former'),
  /** The keys of KEPT_KEY_USES, sealed under the key that came after it; null while it is the newest. */
  kept: nullable(text),
  created_at: date,
});
export type MasterKeyRow = RowOf<typeof masterKeys>;

/** What goes on being verified with `key`, sealed under `next`. */
export function keepKeys(key: MasterKey, next: MasterKey): string {
  const kept = Object.fromEntries(KEPT_KEY_USES.map((use) => [use, key.derive(use).toString('base64')]));
  return seal(next.derive('former-keys'), key.fingerprint, Buffer.from(JSON.stringify(kept)));
}

/** What `keepKeys` has kept of the key of `fingerprint`. @throws when it was sealed under another key than `current` */
export function openKeptKeys(current: MasterKey, fingerprint: string, kept: string): FormerMasterKey {
  const keys = JSON.parse(unseal(current.derive('former-keys'), fingerprint, kept).toString()) as Record<KeptKeyUse, string | undefined>;
  return { fingerprint, derive: (use) => Buffer.from(keys[use] ?? '', 'base64') };
}

/**
 * The master key with those before it.
 * @throws ConfigError when the database is under another key, or a rotation was not finished
 */
export async function withFormerKeys(database: Database, masterKey: MasterKey): Promise<MasterKey> {
  const rows = await database.system(masterKeys).find({}, { sort: { created_at: 1 } });
  if (rows.some(({ state }) => state === 'next'))
    throw new ConfigError('A rotation of the master key was not finished: run `palisade keys rotate-master` again, with the same secrets');
  const current = rows.find(({ state }) => state === 'current');
  if (current && current._id !== masterKey.fingerprint)
    throw new ConfigError(
      `The database is under the master key ${current._id}, and this process has ${masterKey.fingerprint}: set the PALISADE_SECRET, or the data folder, of the present key`,
    );
  return {
    ...masterKey,
    former: rows.flatMap(({ _id, state, kept }) => (state === 'former' && kept ? openKeptKeys(masterKey, _id, kept) : [])),
  };
}
