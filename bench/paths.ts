// What the search for attack paths costs: the seconds to make the graph of an estate and to find its paths, and the most memory, for estates of
// growing size with 200 jewels; and what a what-if of a hundred fixes costs over the paths that were found. The bars are those of estates up to
// 100,000 assets.
import { findPaths } from '../kit/graph/search.js';
import type { GraphEdge } from '../kit/read/attack-graph.js';
import type { ReadAttackPath } from '../kit/read/attack-paths.js';
import { draftOf, type PathDraft } from '../subgraphs/attack-path/draft.js';
import { assemble } from '../subgraphs/attack-path/estate/assemble.js';
import { Estate } from '../subgraphs/attack-path/estate/estate.js';
import { vulnerablePlaces } from '../subgraphs/attack-path/estate/places.js';
import type { EstateAsset, Role } from '../subgraphs/attack-path/estate/types.js';
import { drawsAtOnce, yearsOf } from '../subgraphs/risk/reckoning/basis.js';
import { NOTHING_FIXED } from '../subgraphs/risk/reckoning/ways.js';
import type { LossModel } from '../subgraphs/risk/simulation/loss.js';
import { statisticsOf } from '../subgraphs/risk/simulation/statistics.js';
import { Random } from './random.js';

const SIZES = (process.env['BENCH_ASSETS'] ?? '10000,100000,1000000').split(',').map(Number);
const EDGES_AN_ASSET = 5;
const JEWELS = 200;
const BATCH = 1_000;
const BAR = { assets: 100_000, seconds: 10, megabytes: 300, whatIf: 2 };
const FIXES = 100;
/** Of a hundred assets. */
const MIX: readonly (readonly [Role, string, number])[] = [
  ['workload', 'aws_instance', 35],
  ['identity', 'aws_iam_role', 25],
  ['store', 'aws_dynamodb_table', 20],
  ['secret', 'aws_secretsmanager_secret', 5],
  ['other', 'container_image', 15],
];

function fill(estate: Estate, size: number): number {
  const random = new Random(7);
  const of = new Map<Role, string[]>(MIX.map(([role]) => [role, []]));
  const types = MIX.flatMap(([role, type, share]) => Array.from({ length: share }, () => [role, type] as const));
  const assets: EstateAsset[] = Array.from({ length: size }, (_, n) => {
    const [role, resource_type] = random.of(types);
    const resource_uid = `arn:aws:thing:eu-central-1:${100_000_000_000 + (n % 100)}:${resource_type}/${n}`;
    of.get(role)!.push(resource_uid);
    const account_id = String(100_000_000_000 + (n % 100));
    return {
      ...{ resource_uid, resource_type, resource_name: `thing-${n}`, provider: 'aws', account_id, region: 'eu-central-1', role },
      ...{ data_classes: [], criticality: null, environment: null, containers: [], names: [] },
    };
  });
  for (let at = 0; at < assets.length; at += BATCH) estate.add({ assets: assets.slice(at, at + BATCH) });
  const pick = (role: Role) => random.of(of.get(role)!);
  const access = (privilege: 'read' | null) => ({
    privilege,
    conditional: random.chance(0.2),
    way: null,
    by: [{ resource_uid: `policy-${random.below(2_000)}` }],
  });
  const makers: readonly (() => GraphEdge)[] = [
    () => ({ from: pick('workload'), to: pick('identity'), kind: 'runs_as', via: null, access: null }),
    () => ({ from: pick('workload'), to: pick('other'), kind: 'uses_image', via: null, access: null }),
    () => ({ from: pick('identity'), to: pick('identity'), kind: 'may_assume', via: null, access: access(null) }),
    () => ({ from: pick('identity'), to: pick('store'), kind: 'may_access', via: null, access: access('read') }),
    () => ({ from: pick('identity'), to: pick('secret'), kind: 'may_access', via: null, access: access('read') }),
    () => ({ from: pick('secret'), to: pick('identity'), kind: 'credential_for', via: null, access: null }),
  ];
  for (let n = 0; n < size * EDGES_AN_ASSET; n += BATCH)
    estate.add({ edges: Array.from({ length: BATCH }, () => makers[random.below(makers.length)]!()) });
  const workloads = of.get('workload')!;
  estate.add({
    exposures: workloads
      .filter((_, n) => n % 50 === 0)
      .map((resource_uid) => ({ resource_uid, exposure: 'public', ports: [{ protocol: 'tcp', from: 443, to: 443 }] })),
    jewels: Array.from({ length: JEWELS }, (_, n) => ({
      resource_uid: of.get('store')![n]!,
      tier: 'high',
      origin: 'proposed',
      reason: 'told',
    })),
  });
  return size * EDGES_AN_ASSET;
}

/** What a loss of everything costs: each part is drawn. */
const LOSS: LossModel = {
  ...{ response: [20_000, 200_000, 1_630_000], hours: [24, 168, 720], value_per_hour: 1_000 },
  ...{ records: 10_000, record_share: [0.5, 1, 2], fixed: 100_000, tail: 1.1 },
};

/** What a what-if over some paths costs: the years as they are, and with a hundred causes fixed. */
async function whatIfCost(drafts: readonly PathDraft[]): Promise<{ seconds: number; draws: number }> {
  const paths = drafts.map(({ target, ...draft }, n): ReadAttackPath => ({
    ...{ finding_id: String(n), entry: draft.entry, resource_uid: target, pattern: draft.pattern, likelihood: draft.likelihood },
    ...{ jewel: { ...draft.jewel }, nodes: [...draft.nodes], engines: [] },
    steps: draft.steps.map((step) => ({ ...step, conditions: [...step.conditions] })),
  }));
  const causes = paths.flatMap(({ steps }) => steps.flatMap(({ conditions }) => conditions.map(({ cause }) => cause)));
  const losses = new Map(paths.map(({ resource_uid }) => [resource_uid, LOSS]));
  const settings = { currency: 'USD', per_usd: 1, threat_frequencies: {}, step_probabilities: {}, magnitudes: {} };
  const basis = { paths, losses, settings, seed: 1 };
  const before = process.cpuUsage();
  const draws = drawsAtOnce(basis);
  const fixed = { ...NOTHING_FIXED, causes: new Set([...new Set(causes)].slice(0, FIXES)) };
  for (const what of [NOTHING_FIXED, fixed]) statisticsOf((await yearsOf(basis, what, () => undefined, draws)).losses);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, draws };
}

let failed = false;
for (const size of SIZES) {
  const before = process.memoryUsage().rss;
  let most = before;
  const look = () => (most = Math.max(most, process.memoryUsage().rss));
  const estate = new Estate();
  const edges = fill(estate, size);
  look();
  const cpu = process.cpuUsage();
  const places = vulnerablePlaces(estate);
  const random = new Random(9);
  estate.add({
    vulnerabilities: places.slice(0, 2_000).map((resource_uid, n) => ({
      ...{ resource_uid, engine: 'vulnerability', finding_id: String(n), rule_id: `CVE-2025-${1_000 + (n % 300)}`, package_name: 'nginx' },
      ...{
        cvss: 9.8,
        epss: random.next(),
        known_exploited: n % 10 === 0,
        vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
        cwes: [],
      },
    })),
  });
  const graph = assemble(estate);
  look();
  const made = process.cpuUsage(cpu);
  const { paths, leftOut, cut } = findPaths(graph);
  look();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (user + system) / 1e6;
  const megabytes = (most - before) / 1_048_576;
  const whatIf = await whatIfCost(paths.map((path) => draftOf(graph, path)));
  console.log(
    `${size} assets, ${edges} edges: ${graph.stepCount} steps; graph ${((made.user + made.system) / 1e6).toFixed(2)} s, with search ${seconds.toFixed(2)} s, ` +
      `${megabytes.toFixed(0)} MB more; ${paths.length} paths, ${leftOut.length} left out, ${cut.size} jewels cut; what-if ${whatIf.seconds.toFixed(2)} s over ${whatIf.draws} years`,
  );
  failed ||= size <= BAR.assets && (seconds > BAR.seconds || megabytes > BAR.megabytes || whatIf.seconds > BAR.whatIf);
}
if (failed) process.exitCode = 1;
