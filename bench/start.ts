// Starts: wall and CPU of `palisade help`, of `npm start` (its check of the build included) with and without the demo up to the first 200 of
// /gateway/health/live, and up to the demo being complete. Then memory at rest, after an import of BENCH_FINDINGS findings over HTTP in reports of
// up to 100,000, and a start over these, with a list and a search before and after it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { median } from './load.js';
import { cpuSeconds, endedSeconds, processesBelow } from './process-cpu.js';
import { ocsfReport } from './reports.js';

const FINDINGS = Number(process.env['BENCH_FINDINGS'] ?? 100_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
/** Findings of one report. */
const REPORT = 100_000;
const folder = mkdtempSync(join(tmpdir(), 'palisade-bench-'));
const password = randomBytes(9).toString('base64url');
const env = { ...process.env, PORT: '0', DEMO_PASSWORD: password, RATE_LIMITS: 'enterprise=1000000/1000000' };

/** Seconds since a command began. */
interface Cost {
  wall: number;
  /** Of the process and of all below it. */
  cpu: number;
}

/** A server that answers, and what it took until then. */
interface Started {
  readonly url: string;
  /** Of the server itself, which npm starts. */
  readonly pid: number;
  readonly live: Cost;
  /** Until /gateway/health/ready is 200. */
  readonly ready: Cost;
  stop(): Promise<void>;
}

async function answers(url: string): Promise<boolean> {
  const { statusCode, body } = await request(url);
  await body.dump();
  return statusCode === 200;
}

/** `npm start -- ARGS`, or `node dist/main.js ARGS` where `npm` is false. */
async function start(args: readonly string[], npm = true): Promise<Started> {
  const command = npm ? ['npm', 'start', '--', ...args] : [process.execPath, 'dist/main.js', ...args];
  const began = performance.now();
  const child = spawn(command[0]!, command.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const cost = (): Cost => ({ wall: (performance.now() - began) / 1000, cpu: cpuSeconds(child.pid!) });
  const url = await new Promise<string>((resolve, reject) => {
    void ended.then(([code]) => reject(new Error(`it ended with ${String(code)}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const match = /up at (http:\/\/[\d.:]+)/.exec(line);
      if (match) resolve(match[1]!);
    });
  });
  while (!(await answers(`${url}/gateway/health/live`))) await sleep(10);
  const live = cost();
  while (!(await answers(`${url}/gateway/health/ready`))) await sleep(50);
  const ready = cost();
  const pid = processesBelow(child.pid!).at(-1)!;
  const stop = async () => {
    process.kill(pid, 'SIGTERM');
    await ended;
  };
  return { url, pid, live, ready, stop };
}

/** Runs `palisade help`; its CPU is what this process's ended children have used since. */
async function help(): Promise<Cost> {
  const before = endedSeconds();
  const began = performance.now();
  await once(spawn(process.execPath, ['dist/main.js', 'help'], { stdio: 'ignore' }), 'exit');
  return { wall: (performance.now() - began) / 1000, cpu: endedSeconds() - before };
}

const show = (label: string, costs: readonly Cost[], bar: string) =>
  console.log(
    `${label}: ${median(costs.map(({ wall }) => wall)).toFixed(2)} s, CPU ${median(costs.map(({ cpu }) => cpu)).toFixed(2)} s${bar && ` (${bar})`}`,
  );

/** Resident memory of a process in MiB: now, and at its highest. */
function memory(pid: number): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024).toFixed(0);
  return `${mib('VmRSS')} MiB (highest ${mib('VmHWM')} MiB)`;
}

const helps: Cost[] = [];
const empties: Started[] = [];
const demos: Started[] = [];
// in turns, so that the machine's moods fall on all alike; each with a folder of its own
for (let round = 0; round < ROUNDS; round++) {
  helps.push(await help());
  for (const [list, args] of [
    [empties, ['--empty']],
    [demos, []],
  ] as const) {
    const server = await start(['--data', join(folder, `${args.join('')}${round}`), ...args]);
    list.push(server);
    await server.stop();
  }
}
show('palisade help', helps, 'at most 0.3 s');
show(
  'npm start -- --empty',
  empties.map(({ live }) => live),
  'at most 1.5 s',
);
show(
  'npm start, the first time',
  demos.map(({ live }) => live),
  'at most 2 s',
);
show(
  '  until the demo is complete',
  demos.map(({ ready }) => ready),
  '',
);

if (FINDINGS > 0) await withFindings();
rmSync(folder, { recursive: true, force: true });

/** Memory at rest, after an import, and a start over what it has left. */
async function withFindings(): Promise<void> {
  const data = ['--data', join(folder, 'findings')];
  const server = await start(data, false);
  await sleep(5_000);
  console.log(`memory at rest: ${memory(server.pid)} (under 300)`);
  const signedIn = await request(`${server.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'analyst@acme.example', password }),
  });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
  const began = performance.now();
  const before = cpuSeconds(server.pid);
  for (let from = 0; from < FINDINGS; from += REPORT) await importPart(server.url, cookie, from, Math.min(REPORT, FINDINGS - from));
  const took = ((performance.now() - began) / 1000).toFixed(1);
  const cpu = (cpuSeconds(server.pid) - before).toFixed(1);
  console.log(`${FINDINGS} findings imported over HTTP in ${took} s, CPU ${cpu} s; memory ${memory(server.pid)}`);
  await sleep(10_000);
  console.log(`ten seconds later: ${memory(server.pid)}`);
  await askLists(server.url, cookie);
  await server.stop();

  const again = await start(data, false);
  show(`start over the data of ${FINDINGS} findings`, [again.live], 'at most 2.5 s');
  console.log(`memory at rest: ${memory(again.pid)}`);
  await askLists(again.url, cookie);
  console.log(`memory after these: ${memory(again.pid)}`);
  await again.stop();
}

/** Imports the findings behind `from`, and waits for the end of the run. */
async function importPart(url: string, cookie: string, from: number, findings: number): Promise<void> {
  const run = `bench-${from}`;
  const sent = await request(`${url}/api/v1/scans/imports?scan_run_id=${run}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: Readable.from(ocsfReport(findings, from)),
  });
  if (sent.statusCode !== 202) throw new Error(`${sent.statusCode} ${await sent.body.text()}`);
  await sent.body.dump();
  for (let state = ''; state !== 'COMPLETED'; await sleep(200)) {
    const { body } = await request(`${url}/api/v1/scan-runs/${run}`, { headers: { cookie } });
    state = ((await body.json()) as { state: string }).state;
    if (['FAILED', 'PARTIAL'].includes(state)) throw new Error(`the run is ${state}`);
  }
}

/** Asks for pages of findings, one after the other, each once: nothing of it is kept from before. */
async function askLists(url: string, cookie: string): Promise<void> {
  for (const query of ['', '?severity=critical,high', '?q=bench-bucket-77', '?q=bucket']) {
    const began = performance.now();
    const { statusCode, body } = await request(`${url}/api/v1/check/findings${query}`, { headers: { cookie } });
    const { total } = (await body.json()) as { total?: number };
    console.log(`  GET /check/findings${query}: ${statusCode}, ${total ?? 'no'} findings, ${(performance.now() - began).toFixed(0)} ms`);
  }
}
