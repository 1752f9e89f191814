import type { Neighbourhood } from '../../../catalog/network/neighbours.js';
import type { GraphAccessNode, GraphAsset, GraphEdge, GraphExposure } from '../../../kit/read/attack-graph.js';
import type { Jewel } from '../../../kit/graph/types.js';
import type { Figure, Signal } from '../model/model.js';

/** What a resource is for an attacker. */
export type Role = 'workload' | 'identity' | 'store' | 'database' | 'secret' | 'key' | 'model' | 'cluster' | 'other';

/** An asset with what it is for an attacker. */
export interface EstateAsset extends GraphAsset {
  readonly role: Role;
}

/** A finding, or the failure of a rule that is not reported as one, that tells something of an attacker's way. */
export interface SignalFact {
  readonly signal: Signal;
  readonly engine: string;
  /** Null where the failure is not reported. */
  readonly finding_id: string | null;
  readonly rule_id: string;
  readonly resource_uid: string;
  /** What it tells, with its rule: a rule's own title says what should be. */
  readonly text: string;
  /** Where its rule stands among those of the signal: of several findings on a resource the first is the cause that is told. */
  readonly rank: number;
  /** It counts where no other finding tells the same. */
  readonly isOtherwise: boolean;
}

/** A vulnerability of a resource that counts. */
export interface VulnerabilityFinding {
  readonly engine: string;
  readonly finding_id: string;
  readonly resource_uid: string;
  readonly rule_id: string;
  readonly cvss: number | null;
  readonly epss: number | null;
  readonly known_exploited: boolean | null;
  readonly package_name: string | null;
  readonly vector: string | null;
  readonly cwes: readonly string[];
}

/** A crown jewel, as the engine of risk has it. */
export interface NamedJewel extends Jewel {
  readonly resource_uid: string;
}

/** What the graph of an estate is made of, some at a time. */
export interface EstatePart {
  /** Figures that the tenant has set in place of the usual ones. */
  readonly figures?: Readonly<Partial<Record<Figure, number>>>;
  readonly assets?: readonly EstateAsset[];
  readonly edges?: readonly GraphEdge[];
  readonly accessNodes?: readonly GraphAccessNode[];
  readonly exposures?: readonly GraphExposure[];
  readonly signals?: readonly SignalFact[];
  readonly vulnerabilities?: readonly VulnerabilityFinding[];
  readonly jewels?: readonly NamedJewel[];
  /** Who gets to what is weak inside of its network. */
  readonly neighbourhood?: Pick<Neighbourhood, 'segments' | 'reaches'>;
}
