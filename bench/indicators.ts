// A STIX bundle of many indicators imported, in CPU of this process and of the store's, with the memory of both, and how long this process answered nobody meanwhile:
// what other callers of a server in one process wait. Then the same bundle again, which changes nothing.
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from '../kit/engine/worker.js';
import { importContext, importReport } from '../processes/import-report.js';
import { jobHandlersOf } from '../processes/services.js';
import { deploy, start } from './deployment.js';
import { cpuSeconds, residentMiB } from './process-cpu.js';

const INDICATORS = Number(process.env['BENCH_INDICATORS'] ?? 500_000);

const PATTERNS: readonly ((n: number) => string)[] = [
  (n) => `[ipv4-addr:value = '${1 + (n % 200)}.${(n >> 8) % 250}.${(n >> 4) % 250}.${n % 250}']`,
  (n) => `[domain-name:value = 'host-${n}.evil.example']`,
  (n) => `[file:hashes.'SHA-256' = '${n.toString(16).padStart(64, 'a')}']`,
  (n) => `[url:value = 'https://evil-${n}.example/drop/${n}']`,
];

async function writeBundle(path: string): Promise<void> {
  function* pieces() {
    for (let n = 0; n < INDICATORS; n++) {
      const id = `indicator--00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
      const times = { created: '2026-01-01T00:00:00Z', modified: '2026-01-01T00:00:00Z', valid_from: '2026-01-01T00:00:00Z' };
      const about = { type: 'indicator', spec_version: '2.1', id, ...times, pattern_type: 'stix', confidence: n % 100 };
      const head = n === 0 ? '{"type":"bundle","id":"bundle--00000000-0000-4000-8000-000000000000","objects":[' : ',\n';
      yield head + JSON.stringify({ ...about, pattern: PATTERNS[n % PATTERNS.length]!(n), indicator_types: ['malicious-activity'] });
    }
    yield ']}';
  }
  await pipeline(Readable.from(pieces()), createWriteStream(path));
}

const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-indicators-'));
const bundle = join(folder, 'bundle.json');
await writeBundle(bundle);
const store = await start('embedded/serve.js', ['--dir', join(folder, 'data')], {}, /mongodb:\S+/);
const deployment = await deploy(store.ready, { MAX_IMPORT_MB: '4096', ENGINE_TIMEOUT_MS: '300000' });
const { services, engines } = deployment.opened;
const worker = new Worker(services, jobHandlersOf(engines), 1);
const cpu = () => ({ store: cpuSeconds(store.pid), main: cpuSeconds(process.pid) - cpuSeconds(store.pid) });
console.log(`${INDICATORS} indicators in ${(statSync(bundle).size / 2 ** 20).toFixed(0)} MiB`);
for (const name of ['the first time', 'again']) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  let most = { main: 0, store: 0 };
  const look = setInterval(() => {
    most = { main: Math.max(most.main, residentMiB(process.pid)), store: Math.max(most.store, residentMiB(store.pid)) };
  }, 250);
  const before = cpu();
  delay.enable();
  const run = await importReport(services, await importContext(services, deployment.tenantId), createReadStream(bundle), {
    scan_run_id: name.replaceAll(' ', '-'),
  });
  delay.disable();
  clearInterval(look);
  if (run.counts.records !== INDICATORS) throw new Error(JSON.stringify({ ...run, errors: run.errors.slice(0, 2) }));
  const after = cpu();
  const [main, stored] = [after.main - before.main, after.store - before.store];
  console.log(
    `  ${name}: ${run.state}, ${main.toFixed(1)} s of CPU of this process and ${stored.toFixed(1)} s of the store's (${(((main + stored) / INDICATORS) * 1e6).toFixed(0)} µs for each)`,
  );
  console.log(`    at most ${most.main.toFixed(0)} MiB in this process, ${most.store.toFixed(0)} MiB in the store's`);
  console.log(
    `    this process answered nobody for ${(delay.percentile(99) / 1e6).toFixed(0)} ms in 99 of 100 cases, for ${(delay.max / 1e6).toFixed(0)} ms at most`,
  );
}
await worker.stop();
await deployment.close();
await store.stop();
rmSync(folder, { recursive: true, force: true });
