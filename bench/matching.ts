// Components of an estate held against stored advisories, as at an upload, and again when advisories change: BENCH_COMPONENTS components (100,000) in
// artifacts of 500, BENCH_ADVISORIES advisories (50,000), of which a component in BENCH_VULNERABLE (20) is vulnerable. At most 60 s of this process for
// all of it, and 300 MiB more memory than before.
import { lastChange } from '../feeds/advisory-changes.js';
import { loadFeed } from '../feeds/load.js';
import { bufferSource } from '../importers/index.js';
import { systemAuthContext } from '../kit/base/auth-context.js';
import { createEngineContext } from '../kit/engine/create-context.js';
import { findings } from '../kit/findings/row.js';
import { takeDue } from '../kit/work/due.js';
import { permissionsOf } from '../schema/permissions.js';
import { artifactTold, ingestComponents } from '../subgraphs/secops/components/ingest.js';
import { matched } from '../subgraphs/secops/matching/artifacts.js';
import { componentMatchWork } from '../subgraphs/secops/matching/task.js';
import { deploy, stores } from './deployment.js';
import { cpuOf } from './process-cpu.js';
import { Random } from './random.js';

const COMPONENTS = Number(process.env['BENCH_COMPONENTS'] ?? 100_000);
const ADVISORIES = Number(process.env['BENCH_ADVISORIES'] ?? 50_000);
/** One component in so many has a version from before a fix. */
const VULNERABLE = Number(process.env['BENCH_VULNERABLE'] ?? 20);
const OF_AN_ARTIFACT = 500;
const CHANGED = 300;
const PACKAGES = 12_000;
const MOST_SECONDS = 60;
const MOST_MIB = 300;

const numbers = new Random(20_261_126);
const below = (most: number) => Math.floor(numbers.next() * most);
/** Few packages have most advisories and are most used. */
const packageOf = () => `package-${Math.floor(PACKAGES * numbers.next() ** 2)}`;
const fixedVersion = () => `${1 + below(5)}.${below(20)}.${below(30)}`;
const installedVersion = () => (below(VULNERABLE) === 0 ? `${below(6)}.${below(20)}.${below(30)}` : `9.${below(20)}.${below(30)}`);

const advisory = (n: number, modified: string) => ({
  ...{ id: `GHSA-${n}`, modified, aliases: [`CVE-2026-${100_000 + n}`], summary: `Advisory ${n}` },
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
  affected: [
    {
      package: { ecosystem: 'npm', name: packageOf() },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: fixedVersion() }] }],
    },
  ],
});
const artifacts = Array.from({ length: Math.ceil(COMPONENTS / OF_AN_ARTIFACT) }, (_, n) => ({
  ...{ artifact_id: `image-${n}`, name: `image-${n}`, kind: 'container', document: 'CycloneDX 1.6', position: 'x' },
  place: { resource_type: 'container_image', provider: 'aws', region: 'global' } as const,
}));
const component = () => {
  const named = { name: packageOf(), version: installedVersion() };
  return { ...named, purl: `pkg:npm/${named.name}@${named.version}`, kind: 'library', ecosystem: 'npm', position: 'x' };
};

for await (const store of stores()) {
  const deployment = await deploy(store.uri);
  const { services } = deployment.opened;
  const { tenantId: tenant_id } = deployment;
  const auth = systemAuthContext(
    { tenant_id, organization_id: 'bench', plan: 'enterprise' },
    'tenant_admin',
    permissionsOf('tenant_admin'),
  );
  const { signal } = new AbortController();
  const context = createEngineContext(services, 'secops', auth, signal);
  const start = process.cpuUsage();
  const phase = (what: string) => {
    const { user, system } = process.cpuUsage(start);
    console.log(`${store.name}: ${what}, ${((user + system) / 1e6).toFixed(1)} s of processor so far`);
  };
  const load = (advisories: object[]) => loadFeed(services, 'osv', bufferSource(Buffer.from(JSON.stringify(advisories))));
  await load(Array.from({ length: ADVISORIES }, (_, n) => advisory(n, '2026-01-01T00:00:00Z')));
  phase(`${ADVISORIES} advisories stored`);
  const run = { scan_run_id: 'bench', at: new Date() };
  for (const artifact of artifacts) {
    await ingestComponents(context, run, {
      artifact,
      no: 0,
      components: Array.from({ length: OF_AN_ARTIFACT }, component),
      dependencies: [],
    });
    await artifactTold(context, run, artifact);
  }
  phase(`${COMPONENTS} components stored`);
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 200);
  const storeBefore = cpuOf(store.pid);
  const cpu = process.cpuUsage();
  const seconds = () => (process.cpuUsage(cpu).user + process.cpuUsage(cpu).system) / 1e6;
  await matched(
    context,
    run,
    artifacts.map(({ artifact_id }) => artifact_id),
  );
  const rows = services.database.tenant(tenant_id).engine('vulnerability').collection(findings);
  const uploaded = seconds();
  console.log(`${store.name}: ${COMPONENTS} components judged: ${await rows.count({})} findings in ${uploaded.toFixed(1)} s of processor`);
  await load(Array.from({ length: CHANGED }, (_, n) => advisory(n, '2026-02-01T00:00:00Z')));
  const loaded = seconds();
  const work = componentMatchWork({ ...services, caller: { engines: [], call: answerPlan } });
  for (let row; (row = await takeDue(services, work)) !== null;) {
    const outcome = await work.run({ row, signal, lost: signal, isHeld: () => true });
    const ended = { due_at: outcome?.due_at ?? null, leased_by: null, leased_until: null, ...outcome?.set };
    await services.database.tenant(tenant_id).collection(work.collection).update({ _id: row._id }, { $set: ended });
  }
  clearInterval(watch);
  const mib = (most - before) / 1024 ** 2;
  console.log(
    `  ${CHANGED} advisories changed (${await lastChange(services.database)}): ${(seconds() - loaded).toFixed(1)} s of processor`,
  );
  console.log(`  ${(cpuOf(store.pid) - storeBefore).toFixed(1)} s of processor of the store beside it`);
  console.log(`  ${seconds().toFixed(1)} s in all (at most ${MOST_SECONDS}), ${mib.toFixed(0)} MiB more at most (${MOST_MIB})`);
  if (seconds() > MOST_SECONDS || mib > MOST_MIB) process.exitCode = 1;
  await deployment.close();
}

/** The plan of the tenant, as its engine answers. */
function answerPlan() {
  return Promise.resolve({ data: { result: { organization_id: 'bench', plan: 'enterprise' } } }) as never;
}
