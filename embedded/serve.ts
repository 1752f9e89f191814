// Runs an embedded store by itself: node dist/embedded/serve.js [--dir DIR] [--port N]. It prints the connection string.
import { parseArgs } from 'node:util';
import { openEmbeddedStore } from './index.js';

const { values } = parseArgs({ options: { dir: { type: 'string' }, port: { type: 'string', default: '0' } } });
const store = await openEmbeddedStore({ dir: values.dir ?? null, port: Number(values.port) });
for (const warning of store.warnings) console.error(`warning: ${warning}`);
console.log(store.uri);

const stop = (): void => {
  void store.close().then(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// The worker does not keep the process alive; this does.
setInterval(() => undefined, 2 ** 30);
