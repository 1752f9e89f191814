import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { StoreInUseError } from '../embedded/index.js';
import { rotateMasterKey } from '../processes/master-key/rotate.js';
import { collectionsOf } from '../processes/services.js';
import { openStore } from '../processes/store.js';
import { systemClock } from '../kit/base/clock.js';
import { ConfigError, loadConfig, type Config } from '../kit/base/config.js';
import { Database } from '../kit/store/database.js';
import { PalisadeError } from '../kit/base/errors.js';
import { KEY_FILE, makeKeyFile, masterKeyOf, openMasterKey, readKeyFile, type MasterKey } from '../kit/keys/master-key.js';
import { engines } from '../subgraphs/index.js';

const NEW_SECRET = 'PALISADE_SECRET_NEW';
const LEAST_LENGTH = 32;

/** The command `palisade keys rotate-master`. @returns the exit code: 1, with the reason, when it could not be done */
export async function rotateMaster(data: string | undefined): Promise<number> {
  try {
    process.stdout.write(await rotate(loadConfig(process.env, data ? ['--data', data] : [])));
    return 0;
  } catch (error) {
    const isInUse = error instanceof StoreInUseError;
    if (!isInUse && !(error instanceof PalisadeError) && !(error instanceof ConfigError)) throw error;
    process.stderr.write(`palisade keys rotate-master: ${error.message}${isInUse ? '; stop it first' : ''}\n`);
    return 1;
  }
}

async function rotate(config: Config): Promise<string> {
  const { old, next, finish } = keysOf(config);
  const store = await openStore(config);
  try {
    const database = await Database.open(store.uri, config.MONGODB_DB, collectionsOf(engines));
    try {
      const { resealed, unreadable, brokenLogs } = await rotateMasterKey({ database, clock: systemClock }, old, next());
      const notes = [
        ...unreadable.map((row) => `Could not be opened under the old key, and was left: ${row}\n`),
        ...brokenLogs.map((tenant) => `The end of the audit log of ${tenant} did not hold, and was left as it is\n`),
      ];
      return `${notes.join('')}${resealed} secrets are sealed under the new key; ${finish()}\n`;
    } finally {
      await database.close();
    }
  } finally {
    await store.close();
  }
}

/** The two keys, and what is left to do when the store is under the new one. */
function keysOf(config: Config): { old: MasterKey; next: () => MasterKey; finish: () => string } {
  const given = newSecret();
  if (config.PALISADE_SECRET !== undefined) {
    if (given === null) throw new ConfigError(`Set ${NEW_SECRET} or ${NEW_SECRET}_FILE beside PALISADE_SECRET`);
    const finish = () => `start all processes with it as PALISADE_SECRET`;
    return { old: masterKeyOf(config.PALISADE_SECRET), next: () => masterKeyOf(given), finish };
  }
  if (config.dataDir === null || config.MONGODB_URI !== undefined) throw new ConfigError('Set PALISADE_SECRET, the present secret');
  if (given !== null) throw new ConfigError(`The secret of a data folder is its file ${KEY_FILE}: leave ${NEW_SECRET} out`);
  const [path, nextPath] = [join(config.dataDir, KEY_FILE), join(config.dataDir, `${KEY_FILE}.new`)];
  if (!existsSync(path)) throw new ConfigError(`${path} is missing`);
  const old = openMasterKey(config);
  // renamed last: until then the same command goes on with both files
  const finish = () => {
    renameSync(nextPath, path);
    return `${path} holds it; make a new copy of it apart from the backups`;
  };
  const next = () => {
    makeKeyFile(nextPath);
    return masterKeyOf(readKeyFile(nextPath));
  };
  return { old, next, finish };
}

/** The new secret of the environment or of the file that it names; null without any. */
function newSecret(): string | null {
  const file = process.env[`${NEW_SECRET}_FILE`];
  const secret = process.env[NEW_SECRET] || (file ? readFileSync(file, 'utf8').trim() : '');
  if (secret !== '' && secret.length < LEAST_LENGTH) throw new ConfigError(`${NEW_SECRET}: at least ${LEAST_LENGTH} characters`);
  return secret === '' ? null : secret;
}
