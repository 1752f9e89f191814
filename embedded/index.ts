import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { JournalCorruptError, StoreInUseError, StoreLockError } from './journal/errors.js';
import { makeTemporaryFolder } from './temporary-folder.js';

export { sharedFilesystemOf } from './journal/filesystem.js';
export { JournalCorruptError, StoreInUseError, StoreLockError };

/** An open embedded store. */
export interface EmbeddedStore {
  /** The connection string for mongoose or the driver. */
  readonly uri: string;
  /** What happened at the start that somebody should know: a torn last record that was cut off, for example. */
  readonly warnings: string[];
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
  if (refusal.name === 'JournalCorruptError') return new JournalCorruptError(refusal.file ?? '', refusal.offset ?? 0, refusal.message);
  if (refusal.name === 'StoreInUseError') return new StoreInUseError(refusal.file ?? '', refusal.pid ?? null);
  if (refusal.name === 'StoreLockError') return new StoreLockError(refusal.message);
  return new Error(refusal.message);
}

/**
 * Starts the embedded store in a worker thread: a MongoDB server, in the wire protocol, on a Unix socket that only this user
 * can reach, because it asks for no password. Only a given `port`, or a system without such sockets, makes it listen on 127.0.0.1.
 *
 * A write is acknowledged when the operating system has its journal record, so it survives the process being killed; the
 * record is forced to the disk within about 100 ms, as MongoDB's own journal does, so a power failure may lose that much.
 *
 * What it lacks (collation, text and geo search, change streams, $where, $merge and $out) is answered with CommandNotSupported.
 *
 * @param options.dir the folder of the journal, made if it is not there; null keeps nothing on disk.
 * @param options.port the port of 127.0.0.1 to listen on, 0 for a free one; absent for a Unix socket.
 * @throws JournalCorruptError when a record in the middle of the journal is damaged (it names the file and the offset).
 * @throws StoreInUseError when another process has the folder open.
 * @throws StoreLockError when it cannot be locked so that it holds.
 */
export async function openEmbeddedStore(options: { dir: string | null; port?: number }): Promise<EmbeddedStore> {
  const folder = options.port === undefined && process.platform !== 'win32' ? makeTemporaryFolder('store') : null;
  const at = folder?.socket ?? options.port ?? 0;
  const forget = () => folder !== null && rmSync(folder.path, { recursive: true, force: true });
  const worker = new Worker(workerFile(), { workerData: { dir: options.dir, at } });
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
  worker.on('error', (error: Error) => process.emitWarning(`The embedded store stopped: ${error.message}`, 'EmbeddedStoreWarning'));
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'failed') process.emitWarning(`The embedded store stopped: ${message.message}`, 'EmbeddedStoreWarning');
  });
  let closing: Promise<void> | undefined;
  return {
    uri: `mongodb://${folder === null ? address : encodeURIComponent(address)}/?directConnection=true`,
    warnings,
    close: () => (closing ??= closeWorker(worker, exited).finally(forget)),
  };
}

async function closeWorker(worker: Worker, exited: Promise<void>): Promise<void> {
  worker.ref();
  worker.postMessage({ type: 'close' });
  await exited;
}
