import { Cursors } from './cursors.js';
import { CommandError } from './errors.js';
import type { ServerState } from './commands/context.js';
import { assertRoom } from './folder/disk-space.js';
import { rowsPath } from './folder/files.js';
import { LastingFolder } from './folder/lasting-folder.js';
import { lockFolder } from './folder/lock-file.js';
import { Sessions } from './sessions.js';
import { WireServer } from './server.js';
import { buildIndex } from './storage/build-index.js';
import { CommitQueue } from './storage/commit-queue.js';
import { Database } from './storage/database.js';
import { Store } from './storage/store.js';
import { sweepExpired } from './storage/ttl.js';

const SWEEP_INTERVAL_MS = 5000;

/** A store that accepts connections. */
export interface RunningStore {
  /** `127.0.0.1:<port>`, or the path of the Unix socket. */
  readonly address: string;
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** How to start a store. */
export interface StartOptions {
  readonly dir: string;
  /** Whether the folder outlives the process: then it is locked, and what is written is brought to the disk. */
  readonly lasting: boolean;
  /** A port, or the path of a Unix socket. */
  readonly at: number | string;
  /** The disk failed, or is damaged: the store has stopped answering. */
  readonly onFailure: (error: Error) => void;
}

/** Locks the folder, opens its database, and listens. Throws StoreDamagedError, StoreInUseError and StoreLockError. */
export async function startStore(options: StartOptions): Promise<RunningStore> {
  const unlock = options.lasting ? await lockFolder(options.dir) : null;
  try {
    const running = await openFolder(options);
    return { ...running, close: () => running.close().finally(unlock) };
  } catch (error) {
    await unlock?.();
    throw error;
  }
}

async function openFolder({ dir, lasting, at, onFailure }: StartOptions): Promise<RunningStore> {
  const folder = lasting ? await LastingFolder.open(dir) : null;
  const database = await Database.open(rowsPath(dir));
  await folder?.assertWhole(database);
  const failed = (error: Error): void => {
    onFailure(error);
    void server.close();
  };
  const queue = new CommitQueue(database, folder && ((commits) => folder.mark(commits)), () => assertRoom(dir), failed);
  const store = await Store.open(database, queue);
  folder?.forgetFormer();
  const state: ServerState = { store, sessions: new Sessions(store), cursors: new Cursors(), address: '', startedAt: Date.now() };
  const server = new WireServer(state);
  state.address = await server.listen(at);
  const housekeeping = new Housekeeping(state, folder, failed);
  return {
    address: state.address,
    warnings: folder?.warnings ?? [],
    async close(): Promise<void> {
      await housekeeping.stop();
      await server.close();
      await state.cursors.close();
      await store.close();
      await folder?.close();
    },
  };
}

/** What goes on beside commands: what is over is swept up, what was interrupted is finished. */
class Housekeeping {
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void>;

  constructor(
    private readonly state: ServerState,
    private readonly folder: LastingFolder | null,
    private readonly onFailure: (error: Error) => void,
  ) {
    this.#running = this.#guarded(() => finishIndexes(state.store));
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.#guarded(() => this.#sweep()));
    }, SWEEP_INTERVAL_MS);
  }

  async #sweep(): Promise<void> {
    this.state.sessions.sweep();
    this.state.cursors.sweep();
    await sweepExpired(this.state.store);
    await this.state.store.clearDropped();
    await this.folder?.look();
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // the disk is full, or the database was opened again: what is left over is for the next time
      if (error instanceof CommandError) return;
      this.onFailure(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }
}

/** Builds the indexes whose building a kill has interrupted. */
async function finishIndexes(store: Store): Promise<void> {
  for (const collection of [...store.collections.values()])
    for (const index of collection.indexes.filter((i) => !i.built)) await buildIndex(store, collection, index);
}
