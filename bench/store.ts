// The embedded store by itself: what findings with their audit entries cost to write, to keep, to list and to open again.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { engines } from '../subgraphs/index.js';
import { deploy, start } from './deployment.js';
import { fill } from './fill.js';
import { median } from './load.js';
import { cpuSeconds, residentMiB } from './process-cpu.js';

const SIZES = (process.env['BENCH_SIZES'] ?? '10000,100000').split(',').map(Number);
const facts = engines.find(({ name }) => name === 'check')!.findings!;
const ROUNDS = 400;

const bytesOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isDirectory() ? bytesOf(join(folder, entry.name)) : statSync(join(folder, entry.name)).size),
    0,
  );

const SORT = { severity_rank: -1, last_seen_at: -1, finding_id: 1 } as const;

for (const size of SIZES) {
  const dir = mkdtempSync(join(tmpdir(), 'palisade-bench-store-'));
  const open = () => start('embedded/serve.js', ['--dir', dir], {}, /mongodb:\S+/);
  let store = await open();
  const deployment = await deploy(store.ready);
  const began = performance.now();
  await fill(deployment, facts, 0, size);
  const wall = (performance.now() - began) / 1000;
  const perFinding = (cpuSeconds(store.pid) / size) * 1e6;
  console.log(
    `${size} findings written in ${wall.toFixed(1)} s: ${perFinding.toFixed(0)} µs of the store's processor each; ${residentMiB(store.pid).toFixed(0)} MiB`,
  );

  const client = await new mongo.MongoClient(store.ready).connect();
  const database = client.db(deployment.env['MONGODB_DB']);
  const findings = database.collection('findings');
  const bson = Number((await database.command({ dbStats: 1 }))['dataSize']);
  const scope = { tenant_id: deployment.tenantId, engine: 'check' };
  const queries: Record<string, () => Promise<unknown>> = {
    'one by its key': () => findings.findOne({ ...scope, finding_id: sample[Math.floor(Math.random() * sample.length)] }),
    'page of open ones': () =>
      findings
        .find({ ...scope, status: 'OPEN' })
        .sort(SORT)
        .limit(50)
        .toArray(),
    'page by four statuses': () =>
      findings
        .find({ ...scope, status: { $in: ['OPEN', 'IN_PROGRESS', 'RESOLVED', 'FALSE_POSITIVE'] } })
        .sort(SORT)
        .limit(50)
        .toArray(),
    'page of a region': () =>
      findings
        .find({ ...scope, status: 'OPEN', region: 'eu-west-1' })
        .sort(SORT)
        .limit(50)
        .toArray(),
  };
  const sample = (await findings.find(scope).limit(2000).project({ finding_id: 1 }).toArray()).map((f) => f['finding_id'] as string);
  for (const [name, ask] of Object.entries(queries)) {
    for (let i = 0; i < 50; i++) await ask();
    const before = cpuSeconds(store.pid);
    const times: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const asked = performance.now();
      await ask();
      times.push(performance.now() - asked);
    }
    const cpu = ((cpuSeconds(store.pid) - before) / ROUNDS) * 1e6;
    console.log(`  ${name}: ${cpu.toFixed(0)} µs of the store's processor, p50 ${median(times).toFixed(2)} ms`);
  }
  console.log(`  ${residentMiB(store.pid).toFixed(0)} MiB afterwards`);
  await client.close();
  await deployment.opened.close();
  await store.stop();
  console.log(`  on disk ${(bytesOf(dir) / bson).toFixed(2)} times the BSON of ${(bson / 1024 / 1024).toFixed(0)} MiB`);
  const opening = performance.now();
  store = await open();
  console.log(
    `  opened again in ${((performance.now() - opening) / 1000).toFixed(2)} s and ${cpuSeconds(store.pid).toFixed(2)} s of processor; ${residentMiB(store.pid).toFixed(0)} MiB`,
  );
  await store.stop();
  rmSync(dir, { recursive: true, force: true });
}
