import type { Segment, SegmentReach } from '../../../catalog/network/neighbours.js';
import type { EdgeKind } from '../../../schema/model.js';
import type { GraphAccessNode, GraphExposure } from '../../../kit/read/attack-graph.js';
import { valueOf, type Figure, type Signal } from '../model/model.js';
import { Accesses, Edges, Texts } from './edges.js';
import type { EstateAsset, EstatePart, NamedJewel, SignalFact, VulnerabilityFinding } from './types.js';

/** The kinds of edges that the graph is made of. */
export const READ_KINDS = [
  'contains',
  'runs_as',
  'may_assume',
  'may_access',
  'escalates_to',
  'encrypted_with',
  'reads_secret',
  'uses_image',
  'built_from',
  'deploys',
  'exposes',
  'routes_to',
  'attached_to',
  'triggers',
  'credential_for',
] as const satisfies readonly EdgeKind[];
type ReadKind = (typeof READ_KINDS)[number];

function byResource<T extends { readonly resource_uid: string }>(map: Map<string, T[]>, items: readonly T[] | undefined): void {
  for (const item of items ?? []) {
    const known = map.get(item.resource_uid);
    if (known) known.push(item);
    else map.set(item.resource_uid, [item]);
  }
}

/** What was told of an estate, found by its ends. */
export class Estate {
  readonly assets = new Map<string, EstateAsset>();
  readonly accessNodes = new Map<string, GraphAccessNode>();
  readonly exposures = new Map<string, GraphExposure>();
  readonly vulnerabilities = new Map<string, VulnerabilityFinding[]>();
  readonly jewels = new Map<string, NamedJewel>();
  readonly segments = new Map<string, Segment>();
  readonly reaches: SegmentReach[] = [];
  private readonly signalled = new Map<string, SignalFact[]>();
  private readonly texts = new Texts();
  private readonly edges: ReadonlyMap<ReadKind, Edges>;
  private own: NonNullable<EstatePart['figures']> = {};

  constructor() {
    const accesses = new Accesses();
    this.edges = new Map(READ_KINDS.map((kind) => [kind, new Edges(this.texts, accesses)]));
  }

  add({ figures, assets, edges, accessNodes, exposures, signals, vulnerabilities, jewels, neighbourhood }: EstatePart): void {
    if (figures) this.own = figures;
    for (const asset of assets ?? []) this.assets.set(this.texts.one(asset.resource_uid), asset);
    for (const { from, to, kind, access } of edges ?? []) this.edges.get(kind as ReadKind)?.add(from, to, access);
    for (const node of accessNodes ?? []) this.accessNodes.set(node.uid, node);
    for (const exposure of exposures ?? []) this.exposures.set(exposure.resource_uid, exposure);
    for (const jewel of jewels ?? []) this.jewels.set(jewel.resource_uid, jewel);
    for (const segment of neighbourhood?.segments ?? []) this.segments.set(segment.uid, segment);
    for (const reach of neighbourhood?.reaches ?? []) this.reaches.push(reach);
    byResource(this.signalled, signals);
    byResource(this.vulnerabilities, vulnerabilities);
  }

  /** The probability that a step goes by: the tenant's own, else the usual one. */
  figure(name: Figure): number {
    return this.own[name] ?? valueOf(name);
  }

  edgesOf(kind: ReadKind): Edges {
    return this.edges.get(kind)!;
  }

  /** What tells a signal of a resource, by its rank. */
  signals(uid: string, signal: Signal): SignalFact[] {
    return (this.signalled.get(uid) ?? []).filter((finding) => finding.signal === signal).sort(byRank);
  }

  *allSignals(signal: Signal): Generator<SignalFact> {
    for (const uid of this.signalled.keys()) yield* this.signals(uid, signal);
  }

  /** A workload, and what it is made of: the definition of its task, its launch template. */
  withTemplates(uid: string): string[] {
    const templates = this.edgesOf('built_from')
      .outOf(uid)
      .filter((from) => this.assets.get(from)?.role === 'workload');
    return [uid, ...templates];
  }

  /** The images that a workload runs. */
  imagesOf(uid: string): string[] {
    return this.withTemplates(uid).flatMap((one) => this.edgesOf('uses_image').outOf(one));
  }

  /** Whether code runs on a resource. */
  runsCode(uid: string): boolean {
    return this.assets.get(uid)?.role === 'workload';
  }
}

/** What is reported goes before what is not, as it leads to a finding. */
const byRank = (one: SignalFact, other: SignalFact): number =>
  one.rank - other.rank ||
  Number(one.finding_id === null) - Number(other.finding_id === null) ||
  ((one.finding_id ?? '') < (other.finding_id ?? '') ? -1 : 1);
