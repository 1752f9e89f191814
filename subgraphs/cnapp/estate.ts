import { facetOf, facetSources } from '../../catalog/facets.js';
import type { StandingFinding } from '../../kit/read/open-findings.js';
import type { ViewedAsset } from '../../kit/read/inventory.js';
import type { EdgeKind, Environment, ExposureLevel, ResourceIdentity } from '../../schema/model.js';

/** The views of the inventory that combinations look at. */
export const KINDS = ['workload', 'identity', 'data_store', 'database', 'key', 'image', 'model', 'api', 'repository', 'cluster'] as const;
export type Kind = (typeof KINDS)[number];

/** What scanners name that has no configuration: it is of a kind, and nothing more is known of it. */
const NAMED_BY_SCANNERS: Readonly<Record<string, Kind>> = {
  container_image: 'image',
  code_repository: 'repository',
  host: 'workload',
  api_endpoint: 'api',
  web_application: 'api',
};

type Values = Readonly<Record<string, unknown>>;

/** A resource as combinations look at it. */
export interface Subject extends ResourceIdentity {
  /** Its views by kind, with their fields. */
  readonly views: Readonly<Partial<Record<Kind, Values>>>;
  readonly exposure: ExposureLevel | null;
  readonly environment: Environment | null;
  readonly criticality: 'critical' | 'high' | 'medium' | 'low' | null;
  /** Classes of data that it holds (catalog/data-classes.yaml). */
  readonly data: readonly string[];
  readonly findings: readonly StandingFinding[];
}

/** Edges that lead from a resource to its neighbours of a name: along all of these, so many at most. */
export interface Neighbour {
  readonly kinds: readonly EdgeKind[];
  readonly direction: 'out' | 'in';
  readonly depth: number;
}

export const NEIGHBOURS = {
  /** What it runs as, also by a profile in between. */
  identity: { kinds: ['runs_as'], direction: 'out', depth: 2 },
  image: { kinds: ['uses_image'], direction: 'out', depth: 1 },
  /** What runs the image. */
  runs: { kinds: ['uses_image'], direction: 'in', depth: 1 },
  /** What it, or the identity that it runs as, may read or change. */
  accessed: { kinds: ['runs_as', 'may_access'], direction: 'out', depth: 3 },
  key: { kinds: ['encrypted_with'], direction: 'out', depth: 1 },
  /** Its snapshots and backups. */
  copies: { kinds: ['snapshot_of'], direction: 'in', depth: 1 },
  /** What hands calls on to it. */
  front: { kinds: ['exposes'], direction: 'in', depth: 2 },
  /** What it hands calls on to. */
  behind: { kinds: ['exposes'], direction: 'out', depth: 2 },
  /** What is made of the code: images, and what runs these. */
  deployed: { kinds: ['built_from', 'uses_image'], direction: 'in', depth: 2 },
} as const satisfies Record<string, Neighbour>;
export type NeighbourName = keyof typeof NEIGHBOURS;

let types: ReadonlyMap<string, readonly Kind[]> | undefined;

/** The kinds that resources of each type are of. */
export function kindsOfTypes(): ReadonlyMap<string, readonly Kind[]> {
  if (types) return types;
  const found = new Map<string, Kind[]>(Object.entries(NAMED_BY_SCANNERS).map(([type, kind]) => [type, [kind]]));
  for (const kind of KINDS) for (const type of facetOf(kind).types) found.set(type, [...(found.get(type) ?? []), kind]);
  return (types = found);
}

/** The views of an asset, by what its configuration and scanners tell. */
export function viewsOf({ weighed_facts, facts: _, ...asset }: ViewedAsset): Subject['views'] {
  const kinds = kindsOfTypes().get(asset.resource_type) ?? [];
  return Object.fromEntries(
    kinds.map((kind) => {
      const facet = facetOf(kind);
      const seen = { ...asset, ...(weighed_facts && { facts: weighed_facts }) };
      return [kind, facet.types.has(asset.resource_type) ? facet.evaluate(seen) : {}];
    }),
  );
}

let engines: ReadonlyMap<string, string> | undefined;

/** The engine that serves the view of a kind: what a field of it says is that engine's to tell. */
export function engineOfKind(kind: Kind): string {
  engines ??= new Map(facetSources().map(({ name, engine }) => [name, engine]));
  return engines.get(kind)!;
}
