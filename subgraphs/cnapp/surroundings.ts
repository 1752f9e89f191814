import { dataClassesOf } from '../../catalog/data-classes.js';
import type { EngineContext } from '../../kit/engine/context.js';
import { readAssetsByUid, readClassifiedByUid, readEdgesAt, readStandings, type ReadEdge } from '../../kit/read/inventory.js';
import { readStandingFindings, type StandingFinding } from '../../kit/read/open-findings.js';
import type { EdgeKind } from '../../schema/model.js';
import { kindsOfTypes, NEIGHBOURS, viewsOf, type Neighbour, type NeighbourName, type Subject } from './estate.js';

/** Resources that are asked for at a time. */
const AT_ONCE = 200;
/** Neighbours that are followed from some resources in one direction. */
const MOST = 2_000;
/** Engines whose findings are made of those of others. */
const COMBINING = ['cnapp', 'attack-path'];

const DIRECTIONS = ['out', 'in'] as const;
const defined: readonly Neighbour[] = Object.values(NEIGHBOURS);
const kindsOf = (direction: Neighbour['direction']): EdgeKind[] => [
  ...new Set(defined.filter((one) => one.direction === direction).flatMap(({ kinds }) => kinds)),
];
const depthOf = (direction: Neighbour['direction']): number =>
  Math.max(...defined.filter((one) => one.direction === direction).map(({ depth }) => depth));

const pagesOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, n) => items.slice(n * AT_ONCE, (n + 1) * AT_ONCE));

/** The edges of some kinds around resources, step by step. */
async function edgesAround(
  context: EngineContext,
  uids: readonly string[],
  kinds: readonly EdgeKind[],
  direction: 'out' | 'in',
  depth: number,
): Promise<ReadEdge[]> {
  const known = new Set(uids);
  const found: ReadEdge[] = [];
  let frontier = [...uids];
  for (let step = 0; step < depth && frontier.length > 0; step++) {
    const next = new Set<string>();
    for (const page of pagesOf(frontier))
      for (const edge of await readEdgesAt(context, page, kinds, direction)) {
        found.push(edge);
        const other = direction === 'out' ? edge.to : edge.from;
        if (!known.has(other)) next.add(other);
      }
    frontier = [...next].slice(0, MOST);
    for (const uid of frontier) known.add(uid);
  }
  return found;
}

/** Everything whose combinations may change with these resources: themselves, and of what they are neighbours. */
export async function affectedBy(context: EngineContext, uids: readonly string[]): Promise<Set<string>> {
  const affected = new Set(uids);
  for (const page of pagesOf(uids))
    for (const direction of DIRECTIONS) {
      // whose neighbour it is lies against the edges
      const against = direction === 'out' ? 'in' : 'out';
      for (const { from, to } of await edgesAround(context, page, kindsOf(direction), against, depthOf(direction))) {
        affected.add(from);
        affected.add(to);
      }
    }
  return affected;
}

/** Resources with their neighbours, as combinations look at them. */
export class Surroundings {
  private constructor(
    private readonly subjects: ReadonlyMap<string, Subject>,
    private readonly edges: Readonly<Record<'out' | 'in', ReadonlyMap<string, readonly ReadEdge[]>>>,
  ) {}

  /** @param uids at most 200 */
  static async read(context: EngineContext, uids: readonly string[]): Promise<Surroundings> {
    const edges = { out: new Map<string, ReadEdge[]>(), in: new Map<string, ReadEdge[]>() };
    const wanted = new Set(uids);
    for (const direction of DIRECTIONS)
      for (const edge of await edgesAround(context, uids, kindsOf(direction), direction, depthOf(direction))) {
        const own = direction === 'out' ? edge.from : edge.to;
        edges[direction].set(own, [...(edges[direction].get(own) ?? []), edge]);
        wanted.add(edge.from);
        wanted.add(edge.to);
      }
    const subjects = new Map<string, Subject>();
    for (const page of pagesOf([...wanted]))
      for (const subject of await readSubjects(context, page)) subjects.set(subject.resource_uid, subject);
    return new Surroundings(subjects, edges);
  }

  find(uid: string): Subject | undefined {
    return this.subjects.get(uid);
  }

  /** The neighbours of a resource that the inventory has, the nearest first. */
  neighbours(uid: string, name: NeighbourName): Subject[] {
    const { kinds, direction, depth }: Neighbour = NEIGHBOURS[name];
    const found = new Set<string>();
    let frontier = [uid];
    for (let step = 0; step < depth; step++) {
      const next: string[] = [];
      for (const one of frontier)
        for (const { from, to, kind } of this.edges[direction].get(one) ?? []) {
          const other = direction === 'out' ? to : from;
          if (!kinds.includes(kind) || other === uid || found.has(other)) continue;
          found.add(other);
          next.push(other);
        }
      frontier = next;
    }
    return [...found].flatMap((one) => this.subjects.get(one) ?? []);
  }
}

/** The resources of these that are of a kind which combinations look at; what a plan alone tells of is not there yet. */
async function readSubjects(context: EngineContext, uids: readonly string[]): Promise<Subject[]> {
  const classified = await readClassifiedByUid(context, uids);
  const meant = [...classified.values()].filter(({ resource_type, planned }) => !planned && kindsOfTypes().has(resource_type));
  const names = meant.map(({ resource_uid }) => resource_uid);
  if (names.length === 0) return [];
  const [assets, standings, found] = await Promise.all([
    readAssetsByUid(context, names),
    readStandings(context, names),
    readStandingFindings(context, names, COMBINING),
  ]);
  const findings = new Map<string, StandingFinding[]>();
  for (const finding of found) findings.set(finding.resource_uid, [...(findings.get(finding.resource_uid) ?? []), finding]);
  return assets.flatMap((asset) => {
    const known = classified.get(asset.resource_uid);
    if (!known) return [];
    const { resource_uid, resource_type, resource_name, provider, account_id, region, environment, criticality, data_classes } = known;
    return [
      {
        ...{ resource_uid, resource_type, resource_name, provider, account_id, region, environment, criticality },
        views: viewsOf(asset),
        exposure: standings.get(resource_uid)?.exposure ?? null,
        data: dataClassesOf(data_classes),
        findings: findings.get(resource_uid) ?? [],
      },
    ];
  });
}
