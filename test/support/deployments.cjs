// The servers that test files share, over databases of their own in one store. Each is started when the first file asks for it: GET /<name> at
// PALISADE_TEST_DEPLOYMENTS, which answers {database, servers: [{url, log}]}. GET /demo answers a data folder with the demo, to be copied.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { createWriteStream, mkdirSync, mkdtempSync } = require('node:fs');
const { createServer } = require('node:http');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const dist = join(__dirname, '../../dist');

const DEMO_PASSWORD = 'a password for the demo';
const DEMO_TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** What the deployments are: how many processes over one database, and the settings that they have beside those of all. */
const DEPLOYMENTS = {
  shared: { servers: 1, env: { MAX_IMPORT_MB: '16' } },
  // two gateways that may call what listens at 127.0.0.1, and at no other address of this machine
  pair: { servers: 2, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } },
  // two gateways that count each browser by an address of its own and name themselves as they would behind a proxy
  proxied: { servers: 2, env: { TRUSTED_PROXIES: '127.0.0.1', PUBLIC_URL: 'https://palisade.test', LOG_LEVEL: 'silent' } },
};

/**
 * Starts a script of dist/ and resolves with the first match of `pattern` in what it prints.
 * @param log a file that takes all that it prints
 */
function start(script, args, env, pattern, log) {
  const child = spawn(process.execPath, [join(dist, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kept = log && createWriteStream(log);
  child.stderr.pipe(process.stderr, { end: false });
  for (const stream of kept ? [child.stdout, child.stderr] : []) stream.pipe(kept, { end: false });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code} before it was ready`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = pattern.exec(line);
      if (match) resolve({ child, value: match[0] });
    });
  });
}

/** Starts what `PALISADE_TEST_MONGODB_URI` does not name, and names it and the deployments in the environment. @returns how to end it all */
async function openDeployments() {
  const children = [];
  const started = new Map();
  const folder = mkdtempSync(join(tmpdir(), 'palisade-test-'));

  async function deploy(name, { servers, env }) {
    const database = name === 'shared' ? process.env.PALISADE_TEST_DB : `${process.env.PALISADE_TEST_DB}_${name}`;
    const settings = {
      PORT: '0',
      MONGODB_URI: process.env.PALISADE_TEST_MONGODB_URI,
      MONGODB_DB: database,
      PALISADE_SECRET: process.env.PALISADE_TEST_SECRET,
      OBJECT_DIR: join(folder, name),
      // nobody listens there: no test asks the name servers of the machine
      DNS_SERVERS: '127.0.0.1:9',
      // what rules raise findings of is asked in tests of its own
      RULE_PROFILE: 'all',
      RATE_LIMITS: 'growth=1000000/1000000,address=1000000/1000000',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
      // how busy the machine is must not fail a test
      ENGINE_TIMEOUT_MS: '300000',
      FAN_OUT_TIMEOUT_MS: '60000',
      ...env,
    };
    mkdirSync(settings.OBJECT_DIR);
    const opened = [];
    for (let count = 0; count < servers; count++) {
      const log = join(folder, `${name}-${count}.log`);
      const { child, value } = await start('main.js', ['--empty'], settings, /http:\/\/\S+/, log);
      children.push(child);
      opened.push({ url: value, log });
    }
    return { database, servers: opened };
  }

  async function close(signal) {
    listener.closeAllConnections();
    listener.close();
    // servers before their store, which was started first
    for (const child of children.reverse()) {
      child.removeAllListeners('exit');
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    }
  }

  /** A data folder with the demo whole in it, whose server has ended: loading one takes longer than most tests. */
  async function loadDemo() {
    const data = join(folder, 'demo');
    const env = { PORT: '0', MONGODB_URI: '', LOG_LEVEL: 'error', DEMO_PASSWORD, DEMO_TOTP_SECRET };
    const { child } = await start('main.js', ['--data', data], env, /^The demo is complete/);
    child.removeAllListeners('exit');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    return { data, password: DEMO_PASSWORD, totpSecret: DEMO_TOTP_SECRET };
  }

  const listener = createServer((request, response) => {
    const name = request.url.slice(1);
    if (name !== 'demo' && !Object.hasOwn(DEPLOYMENTS, name))
      return void response.writeHead(404).end(JSON.stringify(`there is no deployment ${name}`));
    if (!started.has(name)) started.set(name, name === 'demo' ? loadDemo() : deploy(name, DEPLOYMENTS[name]));
    started.get(name).then(
      (deployment) => response.end(JSON.stringify(deployment)),
      (error) => response.writeHead(500).end(JSON.stringify(error.message)),
    );
  });
  try {
    process.env.PALISADE_TEST_SECRET = 'the master secret of the test deployment';
    process.env.PALISADE_TEST_DB = `test_${process.pid}`;
    if (!process.env.PALISADE_TEST_MONGODB_URI) {
      const store = await start('embedded/serve.js', [], {}, /mongodb:\/\/\S+/);
      children.push(store.child);
      process.env.PALISADE_TEST_MONGODB_URI = store.value;
    }
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    process.env.PALISADE_TEST_DEPLOYMENTS = `http://127.0.0.1:${listener.address().port}`;
  } catch (error) {
    // what did start would hold the caller's output open for ever
    await close('SIGKILL');
    throw error;
  }
  return { close: () => close('SIGTERM') };
}

module.exports = { openDeployments, dist };
