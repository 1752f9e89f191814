// A thread for tests of the pool: it answers `echo` and `id`, throws on `fail`, ends itself on `crash`, and never answers `spin`.
import { parentPort, threadId } from 'node:worker_threads';

parentPort.on('message', ({ id, open, ask }) => {
  if (open === 'fail' || ask === 'fail') parentPort.postMessage({ id, failure: { name: 'RangeError', message: 'it failed' } });
  else if (ask === 'crash') process.exit(3);
  else if (ask === 'spin') for (;;);
  else parentPort.postMessage({ id, reply: ask === 'id' || open !== undefined ? threadId : ask });
});
