// The finding detail over REST with its fan-out over all engines, against what each engine takes to answer its part of it: the same operation, asked
// of that engine alone, in this process and without HTTP.
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { askFindings } from '../kit/read/findings.js';
import { Worker } from '../kit/engine/worker.js';
import { importContext, importReport } from '../processes/import-report.js';
import { jobHandlersOf } from '../processes/services.js';
import { createAuth } from '../sign-in/index.js';
import { deploy, startServer, stores } from './deployment.js';
import { fill } from './fill.js';
import { load, loadOf, median, type LoadResult } from './load.js';
import { ocsfReport } from './reports.js';

const LOAD = { seconds: Number(process.env['BENCH_SECONDS'] ?? 4), connections: 4 };
const ROUNDS = 3;
const FINDINGS = 10_000;
const RESOURCE = 'arn:aws:s3:::bench-bucket-1';
/** Findings on the resource that the detail asks each engine for. */
const RELATED = 50;

const requestWith = (cookie: string) =>
  ({ headers: { cookie }, method: 'GET', protocol: 'http', host: '127.0.0.1', ip: '127.0.0.1', id: 'bench' }) as unknown as FastifyRequest;

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const { services, engines } = deployment.opened;
  const worker = new Worker(services, jobHandlersOf(engines), 1);
  await importReport(services, await importContext(services, deployment.tenantId), Readable.from(ocsfReport(100)), {});
  await worker.stop();
  // every engine has findings on the same resources
  for (const { findings: facts } of engines) if (facts) await fill(deployment, facts, 0, FINDINGS);
  const server = await startServer(deployment);
  const answer = await fetch(`${server.ready}/api/v1/check/findings?page_size=1`, { headers: { cookie: deployment.cookie } });
  const id = ((await answer.json()) as { items: { finding_id: string }[] }).items[0]!.finding_id;
  const caller = { services, auth: await (await createAuth({ ...services, config: {} })).authenticate(requestWith(deployment.cookie)) };
  const sides = new Map<string, () => Promise<LoadResult>>([
    ['detail', () => load(`${server.ready}/api/v1/views/finding/check/${id}`, deployment.cookie, LOAD)],
    ['its record', () => loadOf(() => askFindings(caller, 'check', 'record', { id }), LOAD)],
  ]);
  for (const { name, findings } of engines)
    if (findings) sides.set(name, () => loadOf(() => askFindings(caller, name, 'onResources', { uids: [RESOURCE], limit: RELATED }), LOAD));
  const results = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, measure] of sides) {
      const { p95 } = await measure();
      if (round) results.set(name, [...(results.get(name) ?? []), p95]);
    }
  await server.stop();
  const p95 = new Map([...results].map(([name, measured]) => [name, median(measured)]));
  for (const [name, value] of p95) console.log(`  ${name}: p95 ${value.toFixed(1)} ms`);
  const detail = p95.get('detail')!;
  const slowest = Math.max(...[...p95].flatMap(([name, value]) => (name === 'detail' ? [] : [value])));
  console.log(
    `${store.name}: detail over REST p95 ${detail.toFixed(1)} ms is ${(detail / slowest).toFixed(2)} times the slowest engine's own call (at most 1.5)`,
  );
  await deployment.close();
}
