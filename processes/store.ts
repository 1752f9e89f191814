import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore, StoreInUseError } from '../embedded/index.js';
import { ConfigError, type Config } from '../kit/base/config.js';

/** Where a process keeps what it is told. */
export interface Store {
  readonly uri: string;
  /** The folder of staged uploads. */
  readonly objectFolder: string;
  readonly kind: 'embedded' | 'mongodb';
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens the store of the configuration: MongoDB when MONGODB_URI is given, else the embedded store in the data folder,
 * or in memory. @throws when the folder is in use by another process, or its journal is damaged
 */
export async function openStore(config: Config): Promise<Store> {
  const temporary = config.OBJECT_DIR === undefined && config.dataDir === null ? mkdtempSync(join(tmpdir(), 'palisade-')) : null;
  const objectFolder = config.OBJECT_DIR ?? temporary ?? join(config.dataDir!, 'objects');
  const forget = () => temporary && rmSync(temporary, { recursive: true, force: true });
  if (config.MONGODB_URI) return { uri: config.MONGODB_URI, objectFolder, kind: 'mongodb', warnings: [], close: async () => void forget() };
  if (config.dataDir === null) {
    const embedded = await openEmbeddedStore({ dir: null });
    return { uri: embedded.uri, objectFolder, kind: 'embedded', warnings: [], close: () => embedded.close().finally(forget) };
  }
  if (existsSync(join(config.dataDir, RESTORING)))
    throw new ConfigError(`A restore into ${config.dataDir} was not finished: run \`palisade restore\` again`);
  const embedded = await openEmbeddedStore({ dir: join(config.dataDir, 'store') });
  const address = join(config.dataDir, ADDRESS_FILE);
  writeFileSync(address, embedded.uri, { mode: 0o600 });
  const close = async () => {
    rmSync(address, { force: true });
    await embedded.close();
  };
  return { uri: embedded.uri, objectFolder, kind: 'embedded', warnings: embedded.warnings, close };
}

/** The folder within a data folder that is there while a backup is put back. */
export const RESTORING = '.restoring';

/** Where the process that holds a data folder says how its store is reached. */
const ADDRESS_FILE = 'store.uri';

/** As `openStore`, but joins the process that has the data folder open, when there is one: for commands beside a running server. */
export async function joinStore(config: Config): Promise<Store> {
  try {
    return await openStore(config);
  } catch (error) {
    if (!(error instanceof StoreInUseError) || config.dataDir === null) throw error;
    const uri = readFileSync(join(config.dataDir, ADDRESS_FILE), 'utf8');
    return {
      uri,
      objectFolder: config.OBJECT_DIR ?? join(config.dataDir, 'objects'),
      kind: 'embedded',
      warnings: [],
      close: async () => {},
    };
  }
}
