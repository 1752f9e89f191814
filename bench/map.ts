// What the map of an estate costs to derive: CPU seconds of process and store and the most memory of the process, for estates of growing size,
// beside taking the estate in; then of one policy and one security group that change; and what it takes to ask it, at a role with 100,000 edges, too.
import { createEngineContext } from '../kit/engine/create-context.js';
import type { EngineContext } from '../kit/engine/context.js';
import type { RunStart, SeenAsset } from '../kit/engine/ingest-input.js';
import { importContext } from '../processes/import-report.js';
import { deriveAccess } from '../subgraphs/di/access/derive.js';
import { resolveLinks } from '../subgraphs/di/links/resolve.js';
import { deriveExposures } from '../subgraphs/network-security/exposures/derive.js';
import { deploy, stores, type BenchStore } from './deployment.js';
import { mapEstate } from './map-estate.js';
import { askMap, HUB, tellHub } from './map-questions.js';
import { cpuOf } from './process-cpu.js';

const SIZES = (process.env['BENCH_ASSETS'] ?? '1000,10000,100000').split(',').map(Number);
const BATCH = 500;
/** Edges of one role. */
const HUB_EDGES = 100_000;
/** What the map is made of; findings and scores are made of it in turn. */
const PARTS: Readonly<Record<string, (context: EngineContext, run: RunStart) => Promise<void>>> = {
  references: ({ services, auth, signal }) => resolveLinks(services, auth.tenant_id, signal),
  access: deriveAccess,
  exposures: deriveExposures,
};

const own = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const megabytes = () => process.memoryUsage().rss / 1_048_576;

interface Cost {
  seconds: number;
  /** The most memory meanwhile, beyond what the process had before, in megabytes. */
  memory: number;
}

class Measure {
  constructor(private readonly store: BenchStore) {}

  async of(work: () => Promise<unknown>): Promise<Cost> {
    const [cpu, stored, before] = [own(), cpuOf(this.store.pid), megabytes()];
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, megabytes())), 20);
    await work();
    clearInterval(watch);
    return { seconds: own() - cpu + cpuOf(this.store.pid) - stored, memory: Math.max(most, megabytes()) - before };
  }
}

const told = ({ seconds, memory }: Cost): string => `${seconds.toFixed(2)} s, ${memory.toFixed(0)} MB more`;

/** One resource of a type with something else in its configuration. */
function changed(seen: readonly SeenAsset[], type: string, change: (configuration: Record<string, unknown>) => object): SeenAsset {
  const asset = seen.find(({ resource_type }) => resource_type === type)!;
  return { ...asset, configuration: { ...asset.configuration, ...change(asset.configuration!) } };
}

const CHANGES = [
  [
    'one policy changed',
    'aws_iam_policy',
    () => ({ policy: '{"Statement":[{"Effect":"Allow","Action":"sqs:SendMessage","Resource":"*"}]}' }),
  ],
  [
    'one security group changed',
    'aws_security_group',
    () => ({ ingress: [{ protocol: 'tcp', from_port: 8443, to_port: 8443, cidr_blocks: ['0.0.0.0/0'] }] }),
  ],
] as const;

/** Derives part after part, and tells what each costs. @returns the CPU seconds of all */
async function derive(measure: Measure, context: EngineContext, name: string): Promise<number> {
  const costs: [string, Cost][] = [];
  for (const [part, work] of Object.entries(PARTS))
    costs.push([part, await measure.of(() => work(context, { scan_run_id: name, at: new Date() }))]);
  const seconds = costs.reduce((sum, [, cost]) => sum + cost.seconds, 0);
  console.log(`  ${name}: ${seconds.toFixed(2)} s (${costs.map(([part, cost]) => `${part} ${told(cost)}`).join('; ')})`);
  return seconds;
}

for await (const store of stores()) {
  for (const size of SIZES) {
    const seen = mapEstate(size);
    const measure = new Measure(store);
    const deployment = await deploy(store.uri);
    const { services } = deployment.opened;
    const context = createEngineContext(
      services,
      'scans',
      await importContext(services, deployment.tenantId),
      new AbortController().signal,
    );
    const run = (scan_run_id: string) => ({ scan_run_id, at: new Date() });
    const take = (name: string, assets: readonly SeenAsset[]) => async () => {
      for (let n = 0; n < assets.length; n += BATCH) await services.ingest.assets(context, run(name), assets.slice(n, n + BATCH), []);
    };
    console.log(`${store.name}, ${seen.length} resources`);
    const taken = await measure.of(take('first', seen));
    console.log(`  taken in: ${told(taken)}`);
    const first = await derive(measure, context, 'derived');
    console.log(`    ratio to taking in ${(first / taken.seconds).toFixed(2)}`);
    await derive(measure, context, 'nothing changed');
    for (const [name, type, change] of CHANGES) {
      await take(name, [changed(seen, type, change)])();
      console.log(`    ratio ${((await derive(measure, context, name)) / first).toFixed(2)}`);
    }
    const cpu = () => own() + cpuOf(store.pid);
    console.log('  asked of what an attacker may hold');
    await askMap(context, seen, cpu);
    await tellHub(context, HUB_EDGES);
    console.log(`  asked of a role with ${HUB_EDGES} edges`);
    await askMap(context, HUB, cpu);
    await deployment.close();
  }
}
