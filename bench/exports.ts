// What a file costs: CPU of the server and of the store for each row, and the server's most memory. The bars: 1,000,000 rows as CSV in 60 s of CPU and 150 MiB
// more than the server holds when it idles.
import { request } from 'undici';
import { engines } from '../subgraphs/index.js';
import { deploy, startServer, stores } from './deployment.js';
import { fill } from './fill.js';
import { cpuOf, residentMiB } from './process-cpu.js';

const SIZE = Number(process.env['BENCH_SIZE'] ?? 100_000);
const FORMATS = (process.env['BENCH_FORMATS'] ?? 'csv,jsonl,xlsx,ocsf,sarif').split(',');
const MILLION = 1_000_000;
const facts = engines.find(({ name }) => name === 'check')!.findings!;

interface Export {
  state: string;
  rows: number;
  size: number;
  reason: string | null;
}

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const server = await startServer(deployment);
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const headers = { cookie: deployment.cookie, ...(body && { 'content-type': 'application/json' }) };
    const answer = await request(`${server.ready}${path}`, {
      method: body ? 'POST' : 'GET',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.body.json()) as T;
  };
  try {
    await fill(deployment, facts, 0, SIZE);
    process.stdout.write(`${store.name}, ${SIZE} findings\n`);
    for (const format of FORMATS) {
      const [idle, before, storeBefore] = [residentMiB(server.pid), cpuOf(server.pid), cpuOf(store.pid)];
      let most = idle;
      const { job_id } = await call<{ job_id: string }>('/api/v1/exports', { format, findings: { engine: ['check'] } });
      let made = await call<Export>(`/api/v1/exports/${job_id}`);
      while (['QUEUED', 'RUNNING'].includes(made.state)) {
        await new Promise((resolve) => setTimeout(resolve, 250));
        most = Math.max(most, residentMiB(server.pid));
        made = await call<Export>(`/api/v1/exports/${job_id}`);
      }
      if (made.state !== 'COMPLETED') throw new Error(`${format}: ${made.state} ${made.reason ?? ''}`);
      const [own, stored] = [cpuOf(server.pid) - before, cpuOf(store.pid) - storeBefore];
      const million = (seconds: number): string => ((seconds / made.rows) * MILLION).toFixed(0);
      process.stdout.write(
        `${format.padEnd(6)} ${made.rows} rows, ${(made.size / 1_048_576).toFixed(1)} MiB; CPU ${own.toFixed(1)} s + store ${stored.toFixed(1)} s (a million rows: ${million(own)} + ${million(stored)} s); memory ${idle.toFixed(0)} -> ${most.toFixed(0)} MiB\n`,
      );
    }
  } finally {
    await server.stop();
    await deployment.close();
  }
}
