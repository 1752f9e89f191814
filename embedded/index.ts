import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StoreDamagedError, StoreInUseError, StoreLockError } from './folder/errors.js';
import { makeTemporaryFolder } from './temporary-folder.js';
import type { WorkerInput } from './worker.js';

export { sharedFilesystemOf } from './folder/filesystem.js';
export { StoreDamagedError, StoreInUseError, StoreLockError };

/** An open embedded store. */
export interface EmbeddedStore {
  /** The connection string for mongoose or the driver. */
  readonly uri: string;
  /** What happened at the start that somebody should know. */
  readonly warnings: string[];
  /** Settles when the store has stopped by itself: nothing more can be read or written. It does not once it was closed. */
  readonly stopped: Promise<Error>;
  /** Writes everything to disk, closes the connections and ends the worker. */
  close(): Promise<void>;
}

interface Refusal {
  readonly name: string;
  readonly message: string;
  readonly file?: string;
  readonly offset?: number;
  readonly pid?: number | null;
}

type WorkerMessage =
  | { readonly type: 'ready'; readonly address: string; readonly warnings: string[] }
  | { readonly type: 'refused'; readonly error: Refusal }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'closed' };

function workerFile(): URL {
  const beside = new URL('./worker.js', import.meta.url);
  return existsSync(fileURLToPath(beside)) ? beside : new URL('../dist/embedded/worker.js', import.meta.url);
}

function errorOf(refusal: Refusal): Error {
  if (refusal.name === 'StoreDamagedError') return new StoreDamagedError(refusal.message, refusal.file, refusal.offset);
  if (refusal.name === 'StoreInUseError') return new StoreInUseError(refusal.file ?? '', refusal.pid ?? null);
  if (refusal.name === 'StoreLockError') return new StoreLockError(refusal.message);
  return new Error(refusal.message);
}

/**
 * Starts the embedded store in a worker thread: a MongoDB server, in the wire protocol, on a Unix socket that only this user
 * can reach, because it asks for no password. Only a given `port`, or a system without such sockets, makes it listen on 127.0.0.1.
 *
 * A write is acknowledged when the operating system has it, so it survives the process being killed; it is forced to the disk within about
 * 100 ms, as by MongoDB's own journal, so a power failure may lose that much.
 *
 * What it lacks (collation, text and geo search, change streams, $where, $merge and $out) is answered with CommandNotSupported.
 *
 * @param options.dir the folder of the store, made if it is not there; null for a temporary one, which goes with the process.
 * @param options.port the port of 127.0.0.1 to listen on, 0 for a free one; absent for a Unix socket.
 * @throws StoreDamagedError when what is on the disk is not what was written (it names the file and the offset where they are known).
 * @throws StoreInUseError when another process has the folder open.
 * @throws StoreLockError when it cannot be locked so that it holds.
 */
export async function openEmbeddedStore(options: { dir: string | null; port?: number }): Promise<EmbeddedStore> {
  const socket = options.port === undefined && process.platform !== 'win32';
  const folder = socket || options.dir === null ? makeTemporaryFolder('store') : null;
  const at = socket ? folder!.socket : (options.port ?? 0);
  const forget = () => folder !== null && rmSync(folder.path, { recursive: true, force: true });
  const workerData = { dir: options.dir ?? folder!.path, lasting: options.dir !== null, at } satisfies WorkerInput;
  const worker = new Worker(workerFile(), { workerData });
  const { address, warnings } = await new Promise<{ address: string; warnings: string[] }>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (message: WorkerMessage) => {
      if (message.type === 'ready') resolve(message);
      else if (message.type === 'refused') {
        void worker.terminate();
        forget();
        reject(errorOf(message.error));
      }
    });
  });
  worker.unref();
  let closing: Promise<void> | undefined;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const stopped = new Promise<Error>((resolve) => {
    worker.on('error', resolve);
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'failed') resolve(new Error(message.message));
    });
    worker.once('exit', (code) => closing ?? resolve(new Error(`its thread ended with code ${code}`)));
  });
  return {
    stopped,
    uri: `mongodb://${socket ? encodeURIComponent(address) : address}/?directConnection=true`,
    warnings,
    close: () => (closing ??= closeWorker(worker, exited).finally(forget)),
  };
}

async function closeWorker(worker: Worker, exited: Promise<void>): Promise<void> {
  worker.ref();
  worker.postMessage({ type: 'close' });
  await exited;
}
