// A page of 50 findings through REST, with session, limits and permission, against the same route written by hand with equal work
// (bench/baseline-list). Compared in CPU of the server and the store together: every side runs alone for its turn, in turns.
import { engines } from '../subgraphs/index.js';
import { cpuOf } from './process-cpu.js';
import { deploy, start, startServer, stores, type Started } from './deployment.js';
import { fill } from './fill.js';
import { load, median, type LoadResult } from './load.js';

const SIZES = (process.env['BENCH_SIZES'] ?? '1000,100000').split(',').map(Number);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const LOAD = { seconds: Number(process.env['BENCH_SECONDS'] ?? 4), connections: 8 };
const facts = engines.find(({ name }) => name === 'check')!.findings!;
const PATH = '/api/v1/check/findings?page=1&page_size=50';
const BARS: Readonly<Record<string, string>> = {
  'fastify, counters': 'at least 0.9',
  'node:http, counters': 'at least 0.45',
};

/** One turn of one side: its load, and milliseconds of CPU a request. */
interface Turn extends LoadResult {
  server: number;
  store: number;
}

async function turn(side: Started, storePid: number | null, cookie: string, seconds: number): Promise<Turn> {
  const before = [cpuOf(side.pid), cpuOf(storePid)] as const;
  const result = await load(side.ready + PATH, cookie, { ...LOAD, seconds });
  const each = (used: number) => (used * 1000) / result.count;
  return { ...result, server: each(cpuOf(side.pid) - before[0]), store: each(cpuOf(storePid) - before[1]) };
}

const middle = (turns: readonly Turn[], of: (turn: Turn) => number) => median(turns.map(of));
const cpu = ({ server, store }: Turn) => server + store;
const show = (turns: readonly Turn[]) =>
  `${middle(turns, cpu).toFixed(2)} ms CPU a request (server ${middle(turns, (t) => t.server).toFixed(2)}, store ${middle(turns, (t) => t.store).toFixed(2)}), ` +
  `${middle(turns, (t) => t.perSecond).toFixed(0)}/s, p50 ${middle(turns, (t) => t.p50).toFixed(1)} ms, p95 ${middle(turns, (t) => t.p95).toFixed(1)} ms`;

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const used: number[] = [];
  let filled = 0;
  for (const size of SIZES) {
    await fill(deployment, facts, filled, size);
    filled = size;
    const byHand = (TOTAL: string, SERVER: string) =>
      start('bench/baseline-list.js', [], { ...deployment.env, TOTAL, SERVER }, /http:\/\/[\d.:]+/);
    const sides = {
      palisade: await startServer(deployment),
      'fastify, counters': await byHand('counters', 'fastify'),
      'node:http, counters': await byHand('counters', 'node'),
      'fastify, counting documents': await byHand('count', 'fastify'),
    };
    const turns: Record<string, Turn[]> = {};
    for (const side of Object.values(sides)) await turn(side, store.pid, deployment.cookie, LOAD.seconds);
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, side] of Object.entries(sides))
        (turns[name] ??= []).push(await turn(side, store.pid, deployment.cookie, LOAD.seconds));
    for (const side of Object.values(sides)) await side.stop();
    const ours = turns['palisade']!;
    used.push(middle(ours, cpu));
    console.log(`${store.name}, ${size} findings: palisade: ${show(ours)}`);
    for (const [name, theirs] of Object.entries(turns).slice(1)) {
      const ratio = median(theirs.map((one, round) => cpu(one) / cpu(ours[round]!)));
      console.log(`  by hand, ${name}: ${show(theirs)}; its CPU is ${ratio.toFixed(2)} of ours${BARS[name] ? ` (${BARS[name]})` : ''}`);
    }
  }
  for (const [n, size] of SIZES.entries())
    if (n > 0) console.log(`${store.name}: CPU at ${size} is ${(used[n]! / used[0]!).toFixed(2)} times that at ${SIZES[0]}`);
  await deployment.close();
}
