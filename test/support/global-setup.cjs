// Starts what the test files share: a store (or takes the one that PALISADE_TEST_MONGODB_URI names) and one server over it.
// A file takes a tenant of its own on the server (test/support/world.ts), or a database of its own in the store.
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const dist = join(__dirname, '../../dist');

/** Starts a script of dist/ and resolves with the first match of `pattern` in what it prints. */
function start(script, args, env, pattern) {
  const child = spawn(process.execPath, [join(dist, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = pattern.exec(line);
      if (match) resolve({ child, value: match[0] });
    });
  });
}

module.exports = async () => {
  const children = [];
  try {
    await startAll(children);
  } catch (error) {
    // what did start would hold the caller's output open for ever
    for (const child of children) child.kill('SIGKILL');
    throw error;
  }
};

async function startAll(children) {
  if (!existsSync(join(dist, 'main.js'))) throw new Error('dist/ is missing: run the tests with npm test, or npm run build first');
  if (!process.env.PALISADE_TEST_MONGODB_URI) {
    const store = await start('embedded/serve.js', [], {}, /mongodb:\/\/\S+/);
    children.push(store.child);
    process.env.PALISADE_TEST_MONGODB_URI = store.value;
  }
  process.env.PALISADE_TEST_SECRET = 'the master secret of the test deployment';
  process.env.PALISADE_TEST_DB = `test_${process.pid}`;
  const server = await start(
    'main.js',
    ['--empty'],
    {
      PORT: '0',
      MONGODB_URI: process.env.PALISADE_TEST_MONGODB_URI,
      MONGODB_DB: process.env.PALISADE_TEST_DB,
      PALISADE_SECRET: process.env.PALISADE_TEST_SECRET,
      OBJECT_DIR: mkdtempSync(join(tmpdir(), 'palisade-test-')),
      MAX_IMPORT_MB: '16',
      // nobody listens there: no test asks the name servers of the machine
      DNS_SERVERS: '127.0.0.1:9',
      RATE_LIMITS: 'growth=1000000/1000000,address=1000000/1000000',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
    },
    /http:\/\/\S+/,
  );
  children.push(server.child);
  process.env.PALISADE_TEST_URL = server.value;
  globalThis.__PALISADE_CHILDREN__ = children;
}
