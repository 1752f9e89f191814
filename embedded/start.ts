import { Cursors } from './cursors.js';
import type { ServerState } from './commands/context.js';
import { Journal, type CompactionLimits } from './journal/journal.js';
import { lockFolder } from './journal/lock-file.js';
import { Sessions } from './sessions.js';
import { WireServer } from './server.js';
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
  /** The folder of the journal, or null. */
  readonly dir: string | null;
  /** A port, or the path of a Unix socket. */
  readonly at: number | string;
  readonly compaction?: CompactionLimits;
  /** The disk failed: the store has stopped answering. */
  readonly onFailure: (error: Error) => void;
}

/** Locks the folder, replays its journal, and listens. Throws JournalCorruptError, StoreInUseError and StoreLockError. */
export async function startStore(options: StartOptions): Promise<RunningStore> {
  const unlock = options.dir === null ? null : await lockFolder(options.dir);
  try {
    const running = await openJournal(options);
    return { ...running, close: () => running.close().finally(unlock) };
  } catch (error) {
    await unlock?.();
    throw error;
  }
}

async function openJournal({ dir, at, compaction, onFailure }: StartOptions): Promise<RunningStore> {
  const store = new Store();
  const failed = (error: Error): void => {
    onFailure(error);
    void server.close();
  };
  const journal = dir === null ? undefined : Journal.open(dir, store, failed, compaction);
  const state: ServerState = { store, sessions: new Sessions(store), cursors: new Cursors(), address: '', startedAt: Date.now() };
  const server = new WireServer(state, journal ?? { flushed: () => undefined });
  state.address = await server.listen(at);
  const timer = setInterval(() => {
    state.sessions.sweep();
    state.cursors.sweep();
    sweepExpired(store);
  }, SWEEP_INTERVAL_MS);
  buildIndexes(store);
  return {
    address: state.address,
    warnings: journal?.warnings ?? [],
    async close(): Promise<void> {
      clearInterval(timer);
      await server.close();
      await journal?.close();
    },
  };
}

/** Fills the indexes one after another, letting commands be answered in between. */
function buildIndexes(store: Store): void {
  const indexes = [...store.collections.values()].flatMap((c) => c.indexes.filter((i) => i !== c.idIndex));
  const next = (): void => {
    const index = indexes.shift();
    if (!index) return;
    index.ensureBuilt();
    setImmediate(next);
  };
  setImmediate(next);
}
