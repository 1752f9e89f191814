import type { Provider } from '../../schema/model.js';

/** What an attacker does in one step. The order is part of stored patterns: new kinds are added at the end. */
export const STEP_KINDS = [
  'initial_access',
  'public_data',
  'leaked_credential',
  'weak_sign_in',
  'open_trust',
  'identity_of_code',
  'container_escape',
  'escalation',
  'lateral_movement',
  'stolen_credential',
  'supply_chain',
  'data_access',
  'within_grant',
  'within_network',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** What is known of who holds a node: code runs there, requests can be forged from there, or its content can be changed. */
export const HOLDS = ['code', 'forged_requests', 'write'] as const;
export type Hold = (typeof HOLDS)[number];

/** How much the loss of something costs, worst first. */
export const TIERS = ['critical', 'high', 'medium', 'low'] as const;
export type Tier = (typeof TIERS)[number];

/** What a node is: a resource, the internet, all resources of a broad grant, the workloads that stand alike in a network, every right in an account, or who is no resource of the inventory. */
export type NodeKind = 'asset' | 'internet' | 'scope' | 'administrator' | 'outsider' | 'segment';

/** Where an attacker may stand. */
export interface GraphNode {
  /** The resource; `internet`, or what edges of access lead to beside resources. */
  readonly uid: string;
  readonly kind: NodeKind;
  /** Null for a resource as a whole: an identity that is held, data that is read. */
  readonly hold: Hold | null;
  readonly type: string;
  readonly name: string | null;
  readonly provider: Provider | null;
  readonly account_id: string | null;
  readonly region: string | null;
}

/** Why a step can be taken: an open finding, the failure of a rule that is not reported as one, or what the inventory says. */
export interface Condition {
  readonly text: string;
  /** The engine that holds the finding, whose rule fails, or whose reading of the estate the fact is. */
  readonly engine: string;
  readonly finding_id: string | null;
  /** The rule that fails, or the CVE, and the resource that it is on; null for what the inventory and the policies say. */
  readonly rule_id: string | null;
  readonly resource_uid: string | null;
  /** What several steps have in common, so that one cause is one chance: a CVE, a credential, a statement. */
  readonly cause: string;
}

/** A step from one node to another. */
export interface GraphStep {
  readonly kind: StepKind;
  /** Of success in one serious attempt, given that the attacker stands at its start; above 0, at most 1. */
  readonly probability: number;
  readonly conditions: readonly Condition[];
}

/** What an attacker is after. */
export interface Jewel {
  readonly tier: Tier;
  /** `set` by people, `proposed` from facts, or an `administrator`. */
  readonly origin: 'set' | 'proposed' | 'administrator';
  readonly reason: string;
}

/** A way from an entry to a jewel. */
export interface FoundPath {
  /** Numbers of the nodes, `internet` first. */
  readonly nodes: readonly number[];
  /** Numbers of the steps between them. */
  readonly steps: readonly number[];
  readonly likelihood: number;
}

/** Who is anybody; the node of number 0. */
export const INTERNET = 'internet';
