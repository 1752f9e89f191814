// Every kind of answer at growing sizes of the tenant: milliseconds of the median, CPU of server and store for one answer, and CPU of the first answer,
// of which nothing is kept yet. Each should cost at 100,000 findings at most twice what it costs at 1,000, and at 1,000,000 at most four times. Where
// the machine has other work, CPU tells more than time: BENCH_BY=cpu compares by it.
import { request } from 'undici';
import { engines } from '../subgraphs/index.js';
import { deploy, startServer, stores } from './deployment.js';
import { fillEstate, fillInventory } from './estate.js';
import { median } from './load.js';
import { LIST, questions, type Question } from './questions.js';
import { cpuOf } from './process-cpu.js';

const SIZES = (process.env['BENCH_SIZES'] ?? '1000,100000').split(',').map(Number);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 10);
const BY = process.env['BENCH_BY'] === 'cpu' ? 'cpu' : 'p50';
const ONLY = new RegExp(process.env['BENCH_ONLY'] ?? '');
const facts = engines.find(({ name }) => name === 'check')!.findings!;
interface Cost {
  p50: number;
  cpu: number;
  first: number;
}

for await (const store of stores()) {
  const deployment = await deploy(store.uri, {}, {}, 'tenant_admin');
  const costs = new Map<string, Cost[]>();
  let filled = 0;
  for (const [n, size] of SIZES.entries()) {
    const began = performance.now();
    const used = process.cpuUsage();
    const stored = cpuOf(store.pid);
    await fillEstate(deployment, facts, filled, size);
    const { user, system } = process.cpuUsage(used);
    console.log(
      `${store.name}: ${size - filled} findings in ${((performance.now() - began) / 1000).toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s here, ${(cpuOf(store.pid) - stored).toFixed(1)} s store`,
    );
    await fillInventory(deployment, filled / 5, size / 5);
    filled = size;
    const server = await startServer(deployment);
    const ask = async ({ path, body: sent }: Question): Promise<unknown> => {
      const headers = { cookie: deployment.cookie, ...(sent && { 'content-type': 'application/json' }) };
      const asked = { method: sent ? 'POST' : 'GET', headers, body: sent ? JSON.stringify(sent) : null } as const;
      const { statusCode, body } = await request(server.ready + path, asked);
      const text = await body.text();
      if (statusCode === 200) return JSON.parse(text);
      // a call that the platform gave up counts with the time that it took
      if (statusCode !== 503) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
      console.log(`${path}: ${text.slice(0, 200)}`);
      return null;
    };
    const { items } = (await ask({ path: LIST })) as { items: { finding_id: string }[] };
    for (const [name, question] of questions(items[0]!.finding_id)) {
      if (!ONLY.test(name)) continue;
      const used = () => (cpuOf(server.pid) + cpuOf(store.pid)) * 1_000;
      const before = used();
      await ask(question);
      const cpu = used();
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const sent = performance.now();
        await ask(question);
        times.push(performance.now() - sent);
      }
      const cost = { p50: median(times), cpu: (used() - cpu) / ROUNDS, first: cpu - before };
      costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
    await server.stop();
    if (n === 0) continue;
    const bar = size <= 100_000 ? 2 : 4;
    const grown = [...costs]
      .map(([name, sizes]) => ({ name, sizes, ratio: sizes.at(-1)![BY] / Math.max(1, sizes[0]![BY]) }))
      .sort((a, b) => b.ratio - a.ratio);
    const over = grown.filter(({ ratio }) => ratio > bar).length;
    console.log(`\n${store.name}: ${grown.length} answers at ${size} against ${SIZES[0]}; ${over} over ${bar}`);
    for (const { name, sizes, ratio } of grown) {
      const told = sizes.map(({ p50, cpu, first }) => `${p50.toFixed(1)} (${cpu.toFixed(0)}, first ${first.toFixed(0)})`).join(' -> ');
      console.log(`  ${ratio.toFixed(1).padStart(6)}  ${told} ms (CPU)  ${name}`);
    }
  }
  await deployment.close();
}
