// What it takes to triage many findings at once by a filter, and what others wait for meanwhile: seconds and CPU of the job (the bar: 10,000 findings in 30 s), and
// a list of another tenant, and of the same one, beside it and alone (the bar: three times at the 99th percentile).
import { request } from 'undici';
import { engines } from '../subgraphs/index.js';
import { deploy, signIn, startServer, stores } from './deployment.js';
import { fill } from './fill.js';
import { loadOf } from './load.js';
import { cpuOf } from './process-cpu.js';

const FINDINGS = Number(process.env['BENCH_FINDINGS'] ?? 10_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 8);
const LIST = '/api/v1/check/findings?page_size=50';
const facts = engines.find(({ name }) => name === 'check')!.findings!;

/** What is done one after the other, each to all of them. */
const TRIAGES: readonly object[] = [
  { status: 'IN_PROGRESS', note: 'It is looked into.' },
  { due_at: '2031-01-01T00:00:00Z' },
  { status: 'FALSE_POSITIVE', note: 'It is none.' },
];

interface Job {
  job_id: string;
  state: string;
  result: { changed: number } | null;
}

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  await fill(deployment, facts, 0, FINDINGS);
  const other = await signIn(deployment.opened, 'analyst');
  await fill({ ...deployment, tenantId: other.tenantId }, facts, 0, 1_000);
  const server = await startServer(deployment);
  const callAs =
    (cookie: string) =>
    async <T>(path: string, body?: object): Promise<T> => {
      const headers = { cookie, ...(body && { 'content-type': 'application/json' }) };
      const asked = { method: body ? 'POST' : 'GET', headers, body: body ? JSON.stringify(body) : null } as const;
      const answer = await request(server.ready + path, asked);
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`);
      return JSON.parse(text) as T;
    };
  const call = callAs(deployment.cookie);
  const lists = { 'another tenant': callAs(other.cookie), 'the same tenant': call };

  /** The latencies of both lists, asked in turns by one client each, for as long as `isOn`. */
  const asked = async (isOn: () => boolean) =>
    Promise.all(
      Object.entries(lists).map(async ([whose, list]) => {
        const result = await loadOf(() => list(LIST), { seconds: Infinity, connections: 1, isOn });
        return { whose, ...result };
      }),
    );
  const forSeconds = (): (() => boolean) => {
    const end = performance.now() + SECONDS * 1_000;
    return () => performance.now() < end;
  };

  try {
    await asked(forSeconds());
    const alone = await asked(forSeconds());
    for (const triage of TRIAGES) {
      const [began, before, storeBefore] = [performance.now(), cpuOf(server.pid), cpuOf(store.pid)];
      const { job, matched } = await call<{ job: Job; matched: number }>('/api/v1/findings/bulk-triage', {
        filter: { engine: ['check'] },
        ...triage,
      });
      let isOver = false;
      const beside = asked(() => !isOver);
      let done = job;
      while (['QUEUED', 'RUNNING'].includes(done.state)) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        done = await call<Job>(`/api/v1/jobs/${job.job_id}`);
      }
      const took = (performance.now() - began) / 1_000;
      const [own, stored] = [cpuOf(server.pid) - before, cpuOf(store.pid) - storeBefore];
      isOver = true;
      if (done.state !== 'COMPLETED' || done.result?.changed !== FINDINGS) throw new Error(JSON.stringify(done));
      process.stdout.write(
        `${store.name}, ${JSON.stringify(triage)} of ${matched} findings: ${took.toFixed(1)} s (at most 30), CPU ${own.toFixed(1)} s + store ${stored.toFixed(1)} s, with the lists beside it\n`,
      );
      for (const { whose, p50, p99, count } of await beside) {
        const idle = alone.find((one) => one.whose === whose)!;
        process.stdout.write(
          `  the list of ${whose}, ${count} times: p50 ${idle.p50.toFixed(1)} -> ${p50.toFixed(1)} ms, p99 ${idle.p99.toFixed(1)} -> ${p99.toFixed(1)} ms, ${(p99 / idle.p99).toFixed(2)} times that alone (at most 3)\n`,
        );
      }
    }
  } finally {
    await server.stop();
    await deployment.close();
  }
}
