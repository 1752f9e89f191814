import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../embedded/index.js';
import type { Config } from '../subgraphs/_kit/config.js';

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
  const embedded = await openEmbeddedStore({ dir: config.dataDir === null ? null : join(config.dataDir, 'store') });
  const close = async () => {
    await embedded.close();
    forget();
  };
  return { uri: embedded.uri, objectFolder, kind: 'embedded', warnings: embedded.warnings, close };
}
