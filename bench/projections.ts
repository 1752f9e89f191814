// What projections add to taking an inventory in: CPU seconds of process and store, with them and without, of a mixed inventory and of one
// of which every resource has a row.
import { facetSources } from '../catalog/facets.js';
import { expandCatalog } from '../catalog/catalog.js';
import { createEngineContext } from '../kit/engine/create-context.js';
import type { SeenAsset } from '../kit/engine/ingest-input.js';
import { importContext } from '../processes/import-report.js';
import { engines } from '../subgraphs/index.js';
import { deploy, stores, type BenchStore } from './deployment.js';
import { inventoryOf } from './inventory-mix.js';
import { cpuOf } from './process-cpu.js';

const ASSETS = Number(process.env['BENCH_ASSETS'] ?? 20_000);
const BATCH = 500;
const ROUNDS = 2;
const own = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

interface Cost {
  first: { process: number; store: number };
  again: { process: number; store: number };
}

/** Takes an inventory in twice, in a deployment of its own. */
async function measure(store: BenchStore, seen: readonly SeenAsset[], withProjections: boolean): Promise<Cost> {
  const listed = withProjections ? engines : engines.map((engine) => ({ ...engine, projections: [] }));
  const deployment = await deploy(store.uri, {}, { engines: listed });
  const { services } = deployment.opened;
  const context = createEngineContext(services, 'scans', await importContext(services, deployment.tenantId), new AbortController().signal);
  const costs: Cost['first'][] = [];
  for (const scan_run_id of ['first', 'again']) {
    const [process, stored] = [own(), cpuOf(store.pid)];
    const run = { scan_run_id, at: new Date() };
    for (let n = 0; n < seen.length; n += BATCH) await services.ingest.assets(context, run, seen.slice(n, n + BATCH), []);
    costs.push({ process: own() - process, store: cpuOf(store.pid) - stored });
  }
  await deployment.close();
  return { first: costs[0]!, again: costs[1]! };
}

function mixed(): SeenAsset[] {
  const seen: SeenAsset[] = [];
  for (const item of inventoryOf(expandCatalog().rules, ASSETS)) if (item.kind === 'asset') seen.push(item.asset as unknown as SeenAsset);
  return seen;
}

/** Resources of covered types alone, each written like the sample of its type. */
function covered(): SeenAsset[] {
  const lines = facetSources().flatMap((facet) => facet.lines);
  return Array.from({ length: ASSETS }, (_, n) => {
    const { provider, type, sample } = lines[n % lines.length]!;
    const resource_uid = `arn:sample:${provider}:eu-central-1:${1e11 + (n % 40)}:${type[0]!}/${n}`;
    const configuration = {
      ...sample,
      name: `resource-${n}`,
      description: 'Managed by the platform team.',
      tags: { team: `team-${n % 20}` },
    };
    const place = { provider, account_id: `${1e11 + (n % 40)}`, region: `region-${n % 12}` };
    return { ...place, resource_uid, resource_type: type[0]!, resource_name: `resource-${n}`, configuration };
  });
}

const best = (costs: readonly Cost[], of: keyof Cost, where: keyof Cost['first'] | 'all'): number =>
  Math.min(...costs.map((cost) => (where === 'all' ? cost[of].process + cost[of].store : cost[of][where])));

for await (const store of stores()) {
  for (const [name, seen] of [['mixed', mixed()] as const, ['covered alone', covered()] as const]) {
    const [without, within]: [Cost[], Cost[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await measure(store, seen, false));
      within.push(await measure(store, seen, true));
    }
    for (const of of ['first', 'again'] as const) {
      const told = (costs: Cost[]) =>
        `${best(costs, of, 'all').toFixed(2)} s (process ${best(costs, of, 'process').toFixed(2)}, store ${best(costs, of, 'store').toFixed(2)})`;
      const ratio = best(within, of, 'all') / best(without, of, 'all');
      console.log(`${store.name}, ${seen.length} resources, ${name}, ${of}: without ${told(without)}, with ${told(within)}`);
      console.log(`  ratio ${ratio.toFixed(2)}`);
    }
  }
}
