// Every kind of answer at growing sizes of the tenant: milliseconds of the median, CPU of server and store for one answer, and CPU of the first answer,
// of which nothing is kept yet. Each should cost at 100,000 findings at most twice what it costs at 1,000, and at 1,000,000 at most four times. Where
// the machine has other work, CPU tells more than time: BENCH_BY=cpu compares by it.
import { request } from 'undici';
import { engines } from '../subgraphs/index.js';
import { deploy, startServer, stores } from './deployment.js';
import { estateObservation, fillEstate, fillInventory } from './estate.js';
import { median } from './load.js';
import { cpuOf } from './process-cpu.js';

const SIZES = (process.env['BENCH_SIZES'] ?? '1000,100000').split(',').map(Number);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 10);
const BY = process.env['BENCH_BY'] === 'cpu' ? 'cpu' : 'p50';
const ONLY = new RegExp(process.env['BENCH_ONLY'] ?? '');
const facts = engines.find(({ name }) => name === 'check')!.findings!;
const LIST = '/api/v1/check/findings';
const SUMMARY = '/api/v1/check/summary';

/** The values of each filter: one that many findings have, one that few have, one that none has. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  severity: ['critical', 'info', 'critical&severity=high'],
  provider: ['aws', 'ibm'],
  status: ['OPEN', 'FALSE_POSITIVE', 'OPEN&status=IN_PROGRESS'],
  account_id: ['account-0', 'account-39', 'none'],
  region: ['region-0', 'region-19', 'none', 'region-0&region=region-1'],
  resource_type: ['type_0', 'type_59', 'none'],
  rule_id: ['rule_0', 'rule_299', 'none'],
  resource_uid: [estateObservation(0).resource_uid, 'none'],
  scan_run_id: ['run-0', 'none'],
  first_seen_after: ['2026-01-01T06:00:00Z', '2100-01-01T00:00:00Z'],
  last_seen_after: ['2026-01-01T06:00:00Z', '2100-01-01T00:00:00Z'],
  q: ['setting', 'estate-77', 'nowhere'],
};
const SORTS = ['severity', 'risk_score', 'last_seen_at', 'first_seen_at'].flatMap((sort) => [sort, `-${sort}`]);

const alone = Object.entries(FILTERS).flatMap(([name, values]) => values.map((value) => `${name}=${value}`));
const pairs = Object.entries(FILTERS).flatMap(([one, [value]], n) =>
  Object.entries(FILTERS)
    .slice(n + 1)
    .map(([other, [second]]) => `${one}=${value}&${other}=${second}`),
);

/** What is asked: a name -> its path. */
function questions(findingId: string): Map<string, string> {
  const asked: string[] = [
    LIST,
    ...[100, 2_000].map((page) => `${LIST}?page=${page}`),
    ...SORTS.flatMap((sort) => [`${LIST}?sort=${sort}`, `${LIST}?sort=${sort}&page=100`]),
    ...[...alone, ...pairs].map((filter) => `${LIST}?${filter}`),
    SUMMARY,
    ...alone.map((filter) => `${SUMMARY}?${filter}`),
    `/api/v1/views/finding/check/${findingId}`,
    `/api/v1/views/finding/check/${findingId}/timeline`,
    ...['', 'result=failure', 'result=success', 'action=finding.open', 'action=user.login', 'page=2000', 'after=2100-01-01T00:00:00Z'].map(
      (filter) => `/api/v1/audit-logs?${filter}`,
    ),
    '/api/v1/inventory/summary',
    ...[
      '',
      'region=region-0',
      'region=none',
      'resource_type=type_0',
      'account_id=account-0',
      'provider=aws',
      'q=estate-77',
      'q=nowhere',
      'page=200',
    ].map((filter) => `/api/v1/inventory/assets?${filter}`),
    '/api/v1/compliance/frameworks',
    '/api/v1/compliance/framework/aws_fsbp/report',
  ];
  const named = asked.map((path) => [path.replace('/api/v1/', '').replace(findingId, '{id}'), path] as const);
  return new Map(named.filter(([name]) => ONLY.test(name)));
}

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
    const ask = async (path: string): Promise<unknown> => {
      const { statusCode, body } = await request(server.ready + path, { headers: { cookie: deployment.cookie } });
      const text = await body.text();
      if (statusCode === 200) return JSON.parse(text);
      // a call that the platform gave up counts with the time that it took
      if (statusCode !== 503) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`);
      console.log(`${path}: ${text.slice(0, 200)}`);
      return null;
    };
    const { items } = (await ask(LIST)) as { items: { finding_id: string }[] };
    for (const [name, path] of questions(items[0]!.finding_id)) {
      const used = () => (cpuOf(server.pid) + cpuOf(store.pid)) * 1_000;
      const before = used();
      await ask(path);
      const cpu = used();
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const sent = performance.now();
        await ask(path);
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
