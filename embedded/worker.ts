// The worker thread of the embedded store: everything that the store does happens here, off the thread of the API.
import { parentPort, workerData } from 'node:worker_threads';
import { startStore } from './start.js';

/** How the thread starts its store. */
export interface WorkerInput {
  readonly dir: string;
  readonly lasting: boolean;
  readonly at: number | string;
}

const port = parentPort;
if (!port) throw new Error('embedded/worker.js runs as a worker thread');

try {
  const input = workerData as WorkerInput;
  const running = await startStore({ ...input, onFailure: (error) => port.postMessage({ type: 'failed', message: error.message }) });
  port.postMessage({ type: 'ready', address: running.address, warnings: running.warnings });
  port.on('message', (message: { type: string }) => {
    if (message.type !== 'close') return;
    void running.close().then(() => {
      port.postMessage({ type: 'closed' });
      port.close();
    });
  });
} catch (error) {
  const details =
    error instanceof Error ? { ...error, name: error.name, message: error.message } : { name: 'Error', message: String(error) };
  port.postMessage({ type: 'refused', error: details });
}
