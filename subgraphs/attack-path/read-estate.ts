import { findCatalogRule } from '../../catalog/catalog.js';
import { facetOf } from '../../catalog/facets.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { readAccessNodes, readExposures, readGraphAssets, readGraphEdges } from '../../kit/read/attack-graph.js';
import { readCrownJewels } from '../../kit/read/crown-jewels.js';
import { readRiskSettings } from '../../kit/read/risk-settings.js';
import { readExploitation, readStanding, readVulnerabilitiesIn, type PathFinding } from '../../kit/read/path-findings.js';
import { readUnreportedFailures } from '../../kit/read/unreported-failures.js';
import { READ_KINDS } from './estate/estate.js';
import { givenBy } from './estate/weaknesses.js';
import type { EstatePart, Role, SignalFact, VulnerabilityFinding } from './estate/types.js';
import { signals, type SignalRules } from './model/model.js';

/** What is handed on at a time. */
const AT_ONCE = 500;

/** Facet -> what its types are for an attacker; the first that has a type says it. */
const ROLES: readonly (readonly [facet: string, role: Role])[] = [
  ['workload', 'workload'],
  ['identity', 'identity'],
  ['database', 'database'],
  ['key', 'key'],
  ['data_store', 'store'],
  ['model', 'model'],
  ['cluster', 'cluster'],
];
const SECRETS = /secret|ssm_parameter|parameter_store/;

const roles = new Map<string, Role>();
/** What resources of a type are for an attacker. */
export function roleOf(type: string): Role {
  const known = roles.get(type);
  if (known !== undefined) return known;
  const role = ROLES.find(([facet]) => facetOf(facet).types.has(type))?.[1] ?? 'other';
  const told = role === 'key' && SECRETS.test(type) ? 'secret' : role;
  roles.set(type, told);
  return told;
}

/** Resources by whose place and names grants may mean them. */
const NAMED: readonly Role[] = ['store', 'database', 'secret', 'key', 'model'];

/**
 * Whether the estate may have anything to be after: a crown jewel, or the rights of an administrator, who is among what edges of access lead to beside
 * resources. Without it no path leads anywhere.
 */
export async function hasTargets(context: EngineContext): Promise<boolean> {
  for await (const { state } of readCrownJewels(context)) if (state !== 'refused') return true;
  for await (const nodes of readAccessNodes(context)) return nodes.length > 0;
  return false;
}

/** What the graph of the tenant's estate is made of, part by part, but for vulnerabilities. */
export async function* readEstate(context: EngineContext): AsyncGenerator<EstatePart> {
  yield { figures: (await readRiskSettings(context)).step_probabilities };
  for await (const page of readGraphAssets(context))
    yield {
      assets: page.map((asset) => {
        const role = roleOf(asset.resource_type);
        return NAMED.includes(role) || role === 'other' ? { ...asset, role } : { ...asset, role, names: [] };
      }),
    };
  for await (const edges of readGraphEdges(context, READ_KINDS)) yield { edges };
  for await (const accessNodes of readAccessNodes(context)) yield { accessNodes };
  for await (const exposures of readExposures(context)) yield { exposures };
  for (const line of signals()) yield* readSignals(context, line);
  for await (const some of batches(readCrownJewels(context)))
    yield {
      jewels: some
        .filter(({ state }) => state !== 'refused')
        .map(({ resource_uid, tier, state, reason }) => ({
          ...{ resource_uid, tier, reason },
          origin: state === 'accepted' ? ('set' as const) : ('proposed' as const),
        })),
    };
}

/** What tells a signal: findings of any source, and the failures of rules that the tenant's profile leaves out or other findings stand for. */
async function* readSignals(context: EngineContext, line: SignalRules): AsyncGenerator<EstatePart> {
  for await (const some of batches(readStanding(context, line.engines, 'rule_id', line.rules)))
    yield { signals: some.map((finding) => signalOf(line, finding)) };
  const engines = new Map(line.rules.flatMap((id) => [[id, findCatalogRule(id)?.engine] as const]).filter(isOf(line.engines)));
  for await (const some of batches(readUnreportedFailures(context, engines)))
    yield { signals: some.map((failure) => signalOf(line, { ...failure, finding_id: null })) };
}

/** Rules of scanners have no engine of their own: their findings have. */
const isOf =
  (engines: readonly string[]) =>
  (entry: readonly [string, string | undefined]): entry is readonly [string, string] =>
    entry[1] !== undefined && engines.includes(entry[1]);

const signalOf = (
  { signal, description, rules, otherwise }: SignalRules,
  { engine, finding_id, resource_uid, rule_id }: Pick<SignalFact, 'engine' | 'finding_id' | 'resource_uid' | 'rule_id'>,
): SignalFact => ({
  ...{ signal, engine, finding_id, resource_uid, rule_id },
  text: `${description.replace(/\.$/, '')} (${rule_id})`,
  rank: rules.indexOf(rule_id),
  isOtherwise: otherwise.has(rule_id),
});

/** The vulnerabilities of some resources, with what is told of their CVEs anywhere. */
export async function* readVulnerabilities(context: EngineContext, places: readonly string[]): AsyncGenerator<EstatePart> {
  for await (const some of batches(readVulnerabilitiesIn(context, places))) {
    const told = await readExploitation(context, [...new Set(some.map(({ rule_id }) => rule_id))]);
    const found = some.map((finding) => vulnerabilityOf(finding, told.get(finding.rule_id)));
    // what gives nothing to who gets there takes no room
    yield { vulnerabilities: found.filter((finding) => givenBy(finding) !== null) };
  }
}

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function vulnerabilityOf(
  { engine, finding_id, resource_uid, rule_id, cvss, epss, known_exploited, evidence }: PathFinding,
  told: { epss: number | null; known_exploited: boolean } | undefined,
): VulnerabilityFinding {
  const cwes = evidence['cwes'];
  return {
    ...{ engine, finding_id, resource_uid, rule_id, cvss },
    epss: epss ?? told?.epss ?? null,
    known_exploited: known_exploited === true || told?.known_exploited === true ? true : known_exploited,
    package_name: textOr(evidence['package_name']),
    vector: textOr(evidence['cvss_vector']),
    cwes: Array.isArray(cwes) ? cwes.filter((cwe) => typeof cwe === 'string') : [],
  };
}

async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    if (batch.push(item) < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
