import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openEmbeddedStore, StoreInUseError, sharedFilesystemOf } from '../embedded/index.js';
import { ConfigError, type Config } from '../kit/base/config.js';
import { openTemporaryFolder, sweepTemporaryFolders } from '../embedded/temporary-folder.js';
import { sweepUploads } from '../kit/store/upload-sweep.js';
import { assertWritable } from './writable-folder.js';

/** Where a process keeps its data. */
export interface Store {
  readonly uri: string;
  /** The folder of staged uploads. */
  readonly objectFolder: string;
  readonly kind: 'embedded' | 'mongodb';
  readonly warnings: readonly string[];
  /** Settles when a store of this process has stopped by itself: nothing can be read or written any more. */
  readonly stopped?: Promise<Error>;
  close(): Promise<void>;
}

/** Milliseconds after which no upload goes on: connections that are silent for two minutes are closed, and whole uploads end within an hour. */
const LONGEST_PAUSE = 3_600_000;

/**
 * Opens the store of the configuration: MongoDB when MONGODB_URI is given, else the embedded store in the data folder,
 * or in memory.
 * @throws ConfigError when a folder cannot be written, or lies where its lock may not hold
 * @throws StoreInUseError, StoreLockError, StoreDamagedError as `openEmbeddedStore` does
 */
export async function openStore(config: Config): Promise<Store> {
  const { dataDir, OBJECT_DIR } = config;
  if (OBJECT_DIR !== undefined) assertWritable(OBJECT_DIR, 'set OBJECT_DIR to a folder that this user may write');
  const temporary = OBJECT_DIR === undefined && dataDir === null ? await openTemporaryFolder('objects') : null;
  const objectFolder = OBJECT_DIR ?? temporary?.path ?? join(dataDir!, 'objects');
  const forget = async () => temporary?.close();
  await sweepTemporaryFolders();
  if (config.MONGODB_URI || OBJECT_DIR !== undefined) await sweepUploads(objectFolder, LONGEST_PAUSE);
  if (config.MONGODB_URI) return { uri: config.MONGODB_URI, objectFolder, kind: 'mongodb', warnings: [], close: forget };
  if (dataDir === null) {
    const embedded = await openEmbeddedStore({ dir: null });
    const { uri, stopped } = embedded;
    return { uri, objectFolder, kind: 'embedded', warnings: [], stopped, close: () => embedded.close().finally(forget) };
  }
  assertWritable(resolve(dataDir), 'give this user the right to, or name another folder with --data DIR (--memory keeps nothing)');
  assertLocksHold(config, dataDir);
  if (existsSync(join(dataDir, RESTORING)))
    throw new ConfigError(`A restore into ${dataDir} was not finished: run \`palisade restore\` again`);
  const embedded = await openEmbeddedStore({ dir: join(dataDir, 'store') });
  if (OBJECT_DIR === undefined) await sweepUploads(objectFolder, 0);
  const address = join(dataDir, ADDRESS_FILE);
  writeFileSync(address, embedded.uri, { mode: 0o600 });
  const close = async () => {
    rmSync(address, { force: true });
    await embedded.close();
  };
  const { uri, warnings, stopped } = embedded;
  return { uri, objectFolder, kind: 'embedded', warnings, stopped, close };
}

/** The folder within a data folder that is there while a backup is put back. */
export const RESTORING = '.restoring';

function assertLocksHold({ DATA_ON_SHARED_FILESYSTEM }: Config, folder: string): void {
  const type = DATA_ON_SHARED_FILESYSTEM === 'allow' ? undefined : sharedFilesystemOf(folder);
  if (type === undefined) return;
  throw new ConfigError(
    `${resolve(folder)} lies on a shared file system (${type}), where two machines could both write the store: name a local folder with --data DIR, use ` +
      'MONGODB_URI, or set DATA_ON_SHARED_FILESYSTEM=allow where one machine alone uses it',
  );
}

/** Where the process that holds a data folder says how its store is reached. */
const ADDRESS_FILE = 'store.uri';

/**
 * As `openStore`, but joins the process that has the data folder open, when there is one: for commands beside a running server.
 * @throws StoreInUseError when that process cannot be reached from here
 */
export async function joinStore(config: Config): Promise<Store> {
  try {
    return await openStore(config);
  } catch (error) {
    if (!(error instanceof StoreInUseError) || config.dataDir === null) throw error;
    const uri = addressOf(join(config.dataDir, ADDRESS_FILE));
    if (uri === undefined) throw error;
    return {
      uri,
      objectFolder: config.OBJECT_DIR ?? join(config.dataDir, 'objects'),
      kind: 'embedded',
      warnings: [],
      close: async () => {},
    };
  }
}

/** The address in a file, where a store can be reached at it; a Unix socket of another container is not here. */
function addressOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const uri = readFileSync(file, 'utf8');
  const socket = /^mongodb:\/\/([^/?]+\.sock)\//.exec(uri)?.[1];
  return socket === undefined || existsSync(decodeURIComponent(socket)) ? uri : undefined;
}

/** As `joinStore`, for commands that have nothing to do where there is no data yet. @throws ConfigError where there is none */
export async function joinExistingStore(config: Config): Promise<Store> {
  if (!config.MONGODB_URI && config.dataDir !== null && !existsSync(join(config.dataDir, 'store')))
    throw new ConfigError(`there is no data in ${resolve(config.dataDir)}: name the data folder with --data DIR, or set MONGODB_URI`);
  return joinStore(config);
}
