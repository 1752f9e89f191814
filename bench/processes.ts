// What it costs to part the gateway from the engines: processor time of a request through `gateway` and `engines`, against that through one process, over the
// same store.
import { readFileSync } from 'node:fs';
import { engines as listed } from '../subgraphs/index.js';
import { deploy, start, startServer, stores, type Started } from './deployment.js';
import { fill } from './fill.js';
import { median } from './load.js';
import { Pool } from 'undici';

const FINDINGS = 1_000;
const ROUNDS = 5;
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 600);
const CONNECTIONS = 8;
const AT_MOST = 1.4;

const facts = listed.find(({ name }) => name === 'check')!.findings!;
const PATHS = {
  list: '/api/v1/check/findings?page=1&page_size=50',
  'short list': '/api/v1/check/findings?page=1&page_size=1',
  summary: '/api/v1/check/summary',
  me: '/api/v1/users/me',
};

/** Milliseconds of processor time that processes have taken so far, as Linux counts it: in ticks of 10. */
const cpuOf = (processes: readonly Started[]): number =>
  processes.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * 10;
  }, 0);

async function ask(pool: Pool, path: string, cookie: string, count: number): Promise<void> {
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers: { cookie } });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
}

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  await fill(deployment, facts, 0, FINDINGS);
  const env = { ...deployment.env, PORT: '0' };
  const engines = await start('main.js', ['engines'], env, /http:\/\/[\d.:]+/);
  const gateway = await start('main.js', ['gateway'], { ...env, ENGINES_URL: engines.ready }, /http:\/\/[\d.:]+/);
  const whole = await startServer(deployment);
  const sides = { apart: [gateway, engines], whole: [whole] } as const;
  for (const [name, path] of Object.entries(PATHS)) {
    const took: Record<keyof typeof sides, number[]> = { apart: [], whole: [] };
    // the first round warms
    for (let round = 0; round <= ROUNDS; round++) {
      for (const side of ['apart', 'whole'] as const) {
        const pool = new Pool(sides[side][0].ready, { connections: CONNECTIONS, pipelining: 1 });
        const before = cpuOf(sides[side]);
        await ask(pool, path, deployment.cookie, REQUESTS);
        if (round > 0) took[side].push((cpuOf(sides[side]) - before) / REQUESTS);
        await pool.close();
      }
    }
    const [apart, one] = [median(took.apart), median(took.whole)];
    console.log(
      `${store.name}, ${name}: ${apart.toFixed(2)} ms of CPU in gateway and engines, ${one.toFixed(2)} in one process; ratio ${(apart / one).toFixed(2)} (at most ${AT_MOST})`,
    );
  }
  for (const side of [gateway, whole, engines]) await side.stop();
  await deployment.close();
}
