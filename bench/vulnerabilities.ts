// The numbers and the CVEs of many vulnerabilities over REST, and what it takes to score them anew. BENCH_FINDINGS findings, 100,000 when absent.
import { bufferSource } from '../importers/readers/source.js';
import { loadFeed } from '../feeds/load.js';
import { rescorePage } from '../kit/findings/cves/rescore.js';
import { getAuditLog } from '../kit/engine/create-context.js';
import { FindingStore } from '../kit/findings/store.js';
import { deploy, startServer, stores } from './deployment.js';
import { median } from './load.js';
import { observation } from './observations.js';

const FINDINGS = Number(process.env['BENCH_FINDINGS'] ?? 100_000);
const CVES = 5_003;
const CALLS = 20;
const BATCH = 1_000;
const cveOf = (n: number) => `CVE-2026-${10_000 + (n % CVES)}`;

/** The n-th vulnerability: some 5,000 CVEs, five on each resource. */
const vulnerability = (n: number) => ({
  ...observation(n),
  engine: 'vulnerability',
  rule_id: cveOf(n),
  title: `${cveOf(n)} in package-${n % 700}`,
  cvss: (n % 100) / 10,
  epss: (n % 97) / 200,
  evidence: { package_name: `package-${n % 700}`, installed_version: '1.0', ...(n % 3 > 0 && { fixed_version: '1.1' }) },
});

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const { services, engines } = deployment.opened;
  const facts = engines.find(({ name }) => name === 'vulnerability')!.findings!;
  const findings = new FindingStore(services, getAuditLog(services), facts, deployment.tenantId);
  const run = { scan_run_id: 'bench', at: new Date(), format: 'bench' };
  const begun = performance.now();
  for (let start = 0; start < FINDINGS; start += BATCH)
    await findings.ingest(
      run,
      Array.from({ length: Math.min(BATCH, FINDINGS - start) }, (_, n) => findings.prepare(run, vulnerability(start + n))),
    );
  console.log(`${store.name}: ${FINDINGS} vulnerabilities written in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  const server = await startServer(deployment);
  for (const path of [
    'findings',
    'findings/stats',
    'findings/stats?severity=high&region=eu-west-1',
    'findings/stats?epss_min=0.3',
    'cves',
    'cves?sort=-affected_resources&known_exploited=false',
    'cves?page=90',
    'cves?epss_min=0.4&provider=aws',
    `cves/${cveOf(1)}`,
  ]) {
    const times: number[] = [];
    for (let call = 0; call <= CALLS; call++) {
      const from = performance.now();
      const answer = await fetch(`${server.ready}/api/v1/vulnerability/${path}`, { headers: { cookie: deployment.cookie } });
      await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      times.push(performance.now() - from);
    }
    console.log(
      `  /vulnerability/${path}: first ${times[0]!.toFixed(0)} ms, median of ${CALLS} more ${median(times.slice(1)).toFixed(1)} ms`,
    );
  }
  await server.stop();
  const scores = Array.from({ length: CVES }, (_, n) => `${cveOf(n)},${n % 10 === 0 ? 0.9 : (n % 89) / 200},0.5`).join('\n');
  await loadFeed(services, 'epss', bufferSource(Buffer.from(`#score_date:2026-02-10T00:00:00Z\ncve,epss,percentile\n${scores}\n`)));
  const from = performance.now();
  for (let at: string | null = ''; at !== null;)
    at = await rescorePage(services, deployment.tenantId, [facts], at, new AbortController().signal);
  console.log(`  all scored anew by another EPSS file in ${((performance.now() - from) / 1_000).toFixed(1)} s`);
  await deployment.close();
}
