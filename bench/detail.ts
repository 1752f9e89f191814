// The finding detail with its fan-out over all engines, against the slowest engine's own call for one of its findings.
import { Readable } from 'node:stream';
import { importContext, importReport } from '../processes/import-report.js';
import { jobHandlersOf } from '../processes/services.js';
import { Worker } from '../kit/engine/worker.js';
import { deploy, startServer, stores } from './deployment.js';
import { fill } from './fill.js';
import { load, median, type LoadResult } from './load.js';
import { ocsfReport } from './reports.js';

const LOAD = { seconds: Number(process.env['BENCH_SECONDS'] ?? 4), connections: 4 };
const ROUNDS = 3;
const FINDINGS = 10_000;

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const { services, engines } = deployment.opened;
  const worker = new Worker(services, jobHandlersOf(engines), 1);
  await importReport(services, await importContext(services, deployment.tenantId), Readable.from(ocsfReport(100)), {});
  await worker.stop();
  // every engine has findings on the same resources
  for (const { findings: facts } of engines) if (facts) await fill(deployment, facts, 0, FINDINGS);
  const server = await startServer(deployment);
  const get = async (path: string) =>
    (await fetch(server.ready + path, { headers: { cookie: deployment.cookie } })).json() as Promise<{ items: { finding_id: string }[] }>;
  const own = new Map<string, LoadResult[]>();
  const detail: LoadResult[] = [];
  const id = (await get('/api/v1/check/findings?page_size=1')).items[0]!.finding_id;
  const calls = engines.flatMap(({ name, findings, prefixes }) =>
    findings ? [{ name, path: `/api/v1/${prefixes[0]}/findings?resource_uid=arn:aws:s3:::bench-bucket-1` }] : [],
  );
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = await load(`${server.ready}/api/v1/views/finding/check/${id}`, deployment.cookie, LOAD);
    if (round) detail.push(measured);
    for (const { name, path } of calls) {
      const result = await load(server.ready + path, deployment.cookie, LOAD);
      if (round) own.set(name, [...(own.get(name) ?? []), result]);
    }
  }
  await server.stop();
  const p95 = median(detail.map((result) => result.p95));
  for (const [name, results] of own) console.log(`  ${name}: p95 ${median(results.map((result) => result.p95)).toFixed(1)} ms`);
  const slowest = Math.max(...[...own.values()].map((results) => median(results.map((result) => result.p95))));
  console.log(
    `${store.name}: detail p95 ${p95.toFixed(1)} ms is ${(p95 / slowest).toFixed(2)} times the slowest engine's own call (at most 2)`,
  );
  await deployment.close();
}
