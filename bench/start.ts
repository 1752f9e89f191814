// Cold start with the demo, memory at rest, and memory after an import of 100,000 findings.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { start } from './deployment.js';
import { ocsfReport } from './reports.js';

const FINDINGS = Number(process.env['BENCH_FINDINGS'] ?? 100_000);
const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const password = randomBytes(9).toString('base64url');
const env = { PORT: '0', DEMO_PASSWORD: password, RATE_LIMITS: 'enterprise=1000000/1000000' };

/** Resident memory of a process in MiB: now, and at its highest. */
function memory(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024).toFixed(0);
  return `${mib('VmRSS')} MiB (highest ${mib('VmHWM')} MiB)`;
}

async function timed(label: string) {
  const began = performance.now();
  const server = await start('main.js', ['--data', folder], env, /http:\/\/[\d.:]+/);
  console.log(`${label}: up in ${((performance.now() - began) / 1000).toFixed(2)} s (under 5)`);
  await sleep(5_000);
  return server;
}

const server = await timed('first start, with the demo');
console.log(`memory at rest: ${memory(server.pid)} (under 300)`);

const signedIn = await request(`${server.ready}/api/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'analyst@acme.example', password }),
});
const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
const began = performance.now();
await request(`${server.ready}/api/v1/scans/imports?scan_run_id=bench`, {
  method: 'POST',
  headers: { cookie, 'content-type': 'application/json' },
  body: Readable.from(ocsfReport(FINDINGS)),
}).then(({ body }) => body.dump());
for (let state = ''; state !== 'COMPLETED'; await sleep(200)) {
  const { body } = await request(`${server.ready}/api/v1/scan-runs/bench`, { headers: { cookie } });
  state = ((await body.json()) as { state: string }).state;
  if (['FAILED', 'PARTIAL'].includes(state)) throw new Error(`the run is ${state}`);
}
console.log(
  `${FINDINGS} findings imported over HTTP in ${((performance.now() - began) / 1000).toFixed(1)} s; memory ${memory(server.pid)}`,
);
await sleep(10_000);
console.log(`ten seconds later: ${memory(server.pid)}`);
await server.stop();

const again = await timed(`start over the data of ${FINDINGS} findings`);
console.log(`memory at rest: ${memory(again.pid)}`);
await again.stop();
rmSync(folder, { recursive: true, force: true });
