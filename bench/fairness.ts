// What one tenant waits for while another one does what it can to keep the process busy: the 99th percentile of a list, against the same list alone.
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { request } from 'undici';
import { engines } from '../subgraphs/index.js';
import { deploy, signIn, startServer, stores } from './deployment.js';
import { fill } from './fill.js';
import { load, median } from './load.js';
import { ocsfReport } from './reports.js';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8);
const FINDINGS = Number(process.env['BENCH_FINDINGS'] ?? 50_000);
const STORED = Number(process.env['BENCH_STORED'] ?? 100_000);
/** Only the works whose names hold this. */
const WORK = process.env['BENCH_WORK'] ?? '';
const PATH = '/api/v1/check/findings?page=1&page_size=50';
const HEAVY = 'r.list.all(a, r.list.all(b, a + b >= 0))';
/** As much as one query may ask for: findings, each with its asset and what else is found on it. */
const GRAPH = '{ check_findings(page_size: 100) { items { title asset { resource_name check_findings { title severity } } } } }';
const RULES = 40;
const facts = engines.find(({ name }) => name === 'check')!.findings!;

const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const report = join(folder, 'report.ocsf.json');
await pipeline(Readable.from(ocsfReport(FINDINGS)), createWriteStream(report));
const list = Array.from({ length: 250 }, (_, n) => n);
const buckets = JSON.stringify({
  format_version: '1.2',
  terraform_version: '1.9.0',
  planned_values: { root_module: {} },
  resource_changes: Array.from({ length: 100 }, (_, n) => ({
    address: `aws_s3_bucket.b${n}`,
    mode: 'managed',
    type: 'aws_s3_bucket',
    name: `b${n}`,
    provider_name: 'registry.terraform.io/hashicorp/aws',
    change: { actions: ['create'], before: null, after: { bucket: `b${n}`, list }, after_unknown: {}, after_sensitive: {} },
  })),
  configuration: { root_module: {} },
});

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  await fill(deployment, facts, 0, 1_000);
  const noisy = await signIn(deployment.opened, 'tenant_admin');
  await fill({ ...deployment, tenantId: noisy.tenantId }, facts, 0, STORED);
  const server = await startServer(deployment);
  const url = server.ready;
  const callAs =
    (cookie: string) =>
    async (path: string, body?: string | Readable, type = 'application/json'): Promise<Record<string, unknown>> => {
      const headers = { cookie, ...(body !== undefined && { 'content-type': type }) };
      const answer = await request(`${url}${path}`, { method: body === undefined ? 'GET' : 'POST', headers, body: body ?? null });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
      return JSON.parse(text) as Record<string, unknown>;
    };
  const call = callAs(noisy.cookie);
  /** Imports and waits until the run is final, or nobody measures any more. */
  const imported = async (id: string, body: () => string | Readable, measuring: () => boolean, cookie = noisy.cookie): Promise<void> => {
    const call = callAs(cookie);
    await call(`/api/v1/scans/imports?scan_run_id=${id}`, body(), 'application/octet-stream');
    for (let state: unknown = 'QUEUED'; state === 'QUEUED' || state === 'RUNNING';) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (!measuring()) return void (await call(`/api/v1/scan-runs/${id}/cancel`, '{}').catch(() => {}));
      state = (await call(`/api/v1/scan-runs/${id}`))['state'];
    }
  };
  let runs = 0;
  const works: Record<string, (measuring: () => boolean) => Promise<unknown>> = {
    [`an import of ${FINDINGS} findings`]: async (measuring) => {
      // a tenant of its own: everything is new
      const { cookie } = await signIn(deployment.opened, 'analyst');
      await imported(`import-${++runs}`, () => createReadStream(report), measuring, cookie);
    },
    [`imports of ${FINDINGS} findings again and again`]: (measuring) =>
      imported(`again-${++runs}`, () => createReadStream(report), measuring),
    'a heavy graph query': () => call('/graphql', JSON.stringify({ query: GRAPH })),
    [`${RULES} heavy rules over 100 buckets`]: (measuring) => imported(`rules-${++runs}`, () => buckets, measuring),
    'trials of a heavy rule': () =>
      call('/api/v1/rules/custom/validate', JSON.stringify({ resource_types: ['aws_s3_bucket'], expression: HEAVY })),
    [`the summary of ${STORED} findings`]: () => call('/api/v1/check/summary'),
  };
  for (let n = 0; n < RULES; n++) {
    const rule = { rule_id: `heavy-${n}`, title: `Heavy ${n}`, severity: 'low', resource_types: ['aws_s3_bucket'], expression: HEAVY };
    await call('/api/v1/rules/custom', JSON.stringify(rule));
  }
  const measure = () => load(url + PATH, deployment.cookie, { seconds: SECONDS, connections: 1 });
  await measure();
  for (const [name, work] of Object.entries(works).filter(([name]) => name.includes(WORK))) {
    const ratios: number[] = [];
    for (let round = 0; round < 3; round++) {
      const alone = await measure();
      let measuring = true;
      const busy = (async () => {
        while (measuring) await work(() => measuring);
      })();
      const beside = await measure();
      measuring = false;
      await busy;
      ratios.push(beside.p99 / alone.p99);
      console.log(
        `  ${name}: p50 ${alone.p50.toFixed(1)} -> ${beside.p50.toFixed(1)} ms, p99 ${alone.p99.toFixed(1)} -> ${beside.p99.toFixed(1)} ms`,
      );
    }
    console.log(`${store.name}, beside ${name}: p99 of another tenant's list is ${median(ratios).toFixed(2)} times that alone (at most 3)`);
  }
  await server.stop();
  await deployment.close();
}
rmSync(folder, { recursive: true, force: true });
