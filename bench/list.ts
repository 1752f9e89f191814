// A page of 50 findings through REST, with session, limits and permission, against the same route written by hand.
import { engines } from '../subgraphs/index.js';
import { deploy, start, startServer, stores } from './deployment.js';
import { fill } from './fill.js';
import { load, median, type LoadResult } from './load.js';

const SIZES = [1_000, 100_000];
const ROUNDS = 3;
const LOAD = { seconds: Number(process.env['BENCH_SECONDS'] ?? 4), connections: 8 };
const facts = engines.find(({ name }) => name === 'check')!.findings!;
const PATH = '/api/v1/check/findings?page=1&page_size=50';

const best = (results: readonly LoadResult[]) => ({
  perSecond: median(results.map((r) => r.perSecond)),
  p50: median(results.map((r) => r.p50)),
  p95: median(results.map((r) => r.p95)),
  p99: median(results.map((r) => r.p99)),
});
const show = ({ perSecond, p50, p95 }: LoadResult) => `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`;

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const p95: number[] = [];
  let filled = 0;
  for (const size of SIZES) {
    await fill(deployment, facts, filled, size);
    filled = size;
    const sides = {
      palisade: await startServer(deployment),
      'by hand, counting': await start('bench/baseline-list.js', [], { ...deployment.env, TOTAL: 'count' }, /http:\/\/[\d.:]+/),
      'by hand, with counters': await start('bench/baseline-list.js', [], { ...deployment.env, TOTAL: 'counters' }, /http:\/\/[\d.:]+/),
    };
    const results: Record<string, LoadResult[]> = {};
    // warm, then in turns, so that the machine's moods fall on all alike
    for (const side of Object.values(sides)) await load(side.ready + PATH, deployment.cookie, { ...LOAD, seconds: 2 });
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, side] of Object.entries(sides)) (results[name] ??= []).push(await load(side.ready + PATH, deployment.cookie, LOAD));
    }
    for (const side of Object.values(sides)) await side.stop();
    const ours = best(results['palisade']!);
    p95.push(ours.p95);
    console.log(`${store.name}, ${size} findings: palisade ${show(ours)}`);
    for (const [name, result] of Object.entries(results).slice(1))
      console.log(`  ${name}: ${show(best(result))}; ratio ${(ours.perSecond / best(result).perSecond).toFixed(2)} (at least 0.6)`);
  }
  console.log(`${store.name}: p95 at ${SIZES[1]} is ${(p95[1]! / p95[0]!).toFixed(2)} times that at ${SIZES[0]} (at most 2)`);
  await deployment.close();
}
