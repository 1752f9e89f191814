import type { ExposureLevel } from '../../schema/model.js';

/** True, false, or undefined where the inventory leaves it open. */
export type Maybe = boolean | undefined;

/** The other side of a rule: addresses, the members of a group, the resources with a tag, or what nothing tells. */
export type Peer =
  | { kind: 'block'; block: string; /** Blocks that it leaves out. */ except?: readonly string[] }
  | { kind: 'member'; of: string }
  /** A provider's name of a set of addresses, such as `VirtualNetwork`. */
  | { kind: 'named'; name: string }
  | { kind: 'unknown' };

/** One rule of a filter, its direction and resource set. Lower priorities are asked first. */
export interface Rule {
  uid: string;
  /** What names the rule inside its resource, for people. */
  label: string;
  direction: 'ingress' | 'egress';
  /** `next` hands the packet on to the next filter of the order. */
  action: 'allow' | 'deny' | 'next';
  protocol: string | undefined;
  from: number | undefined;
  to: number | undefined;
  peers: readonly Peer[];
  priority: number;
  /** Whether a reference decides its direction or action. */
  unsure?: boolean | undefined;
  /** Whether answers need a rule of their own. */
  stateless?: boolean | undefined;
  /** Members that it is for; every workload behind the filter where absent. */
  targets?: readonly string[] | undefined;
}

/** One step of an answer. */
export interface Hop {
  /** `firewall`, `network_acl`, `route`, `gateway`, `peering`, `public_address`, `load_balancer`, `endpoint`, `network_policy` ... */
  kind: string;
  /** The resource; null where the provider does it by default. */
  resource_uid: string | null;
  rule: string | null;
  outcome: 'allowed' | 'stopped' | 'unknown';
  reason: string;
}

/** Which packet is asked about. */
export interface Flow {
  protocol: string;
  /** Null for protocols without ports. */
  port: number | null;
}

export interface Reachability {
  answer: 'reachable' | 'blocked' | 'unknown';
  hops: Hop[];
  /** The first hop that stops the packet, or leaves the answer open. */
  stop: Hop | null;
}

export interface PortRange {
  protocol: string;
  from: number;
  to: number;
}

export interface Exposure {
  exposure: ExposureLevel;
  ports: PortRange[];
  /** Public address blocks that get in; at most 100. */
  sources: string[];
  path: Hop[];
}
