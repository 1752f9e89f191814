import { createHash } from 'node:crypto';
import { openPorts, type Party } from './filter.js';
import { JoinedNetworks } from './joined.js';
import type { NetworkModel } from './model.js';
import { layersOf, partyOf, placeOf, type Layer, type Place } from './place.js';
import { EVERY_PORT, intersect, type Ranges } from './ports.js';
import { returns } from './reachability.js';
import { betweenNetworks } from './routes.js';
import { Thresholds } from './thresholds.js';
import type { PortRange, Rule } from './types.js';

const PROTOCOLS = ['tcp', 'udp'] as const;
/** What a workload is behind itself, and not by its subnet. */
const BEHIND = ['firewall', 'ingress_policy', 'egress_policy'] as const;
/** Pairs of segments that one answer looks at. */
const MOST_PAIRS = 100_000;

/** Workloads that stand alike in their network: what one of them gets to, all get to. */
export interface Segment {
  uid: string;
  /** For people: the firewalls and tags, and the subnets or networks. */
  name: string;
  provider: string;
  account_id: string | null;
  members: string[];
}

/** What the workloads of a segment get to inside of their networks, and at which ports. */
export interface SegmentReach {
  from: string;
  to: string[];
  ports: PortRange[];
}

export interface Neighbourhood {
  segments: Segment[];
  reaches: SegmentReach[];
  /** Whether there were more pairs than one answer looks at. */
  cut: boolean;
}

/** A place with what packets pass there. */
interface Side {
  place: Place;
  layers: Readonly<Record<Rule['direction'], readonly Layer[]>>;
}

/** Who gets to whom inside of networks that are joined, told by segments and not by pairs of workloads. */
export class Neighbours {
  private readonly joined: JoinedNetworks;
  private readonly thresholds: Thresholds;
  private segments: Map<string, { segment: Segment; side: Side }[]> | undefined;

  constructor(private readonly model: NetworkModel) {
    this.joined = new JoinedNetworks(model);
    this.thresholds = new Thresholds(model);
  }

  /** The workloads in the networks that some resources are in, and in those that these are joined to. */
  beside(uids: readonly string[]): string[] {
    const networkOf = (uid: string): string | null => {
      const place = placeOf(this.model, uid);
      return place === undefined ? null : this.joined.of(place.networks);
    };
    const networks = new Set(uids.map(networkOf));
    networks.delete(null);
    return [...networks].flatMap((network) => (this.all().get(network!) ?? []).flatMap(({ segment }) => segment.members)).sort();
  }

  /** Which workloads surely get to some resources by their networks, with the ports. What is asked about twice is told once. */
  reaching(targets: readonly string[]): Neighbourhood {
    const told = new Map<string, Segment>();
    const reaches: SegmentReach[] = [];
    let pairs = 0;
    for (const { network, side, uids } of this.targets(targets))
      for (const { segment, side: source } of this.all().get(network) ?? []) {
        if (++pairs > MOST_PAIRS) return { segments: [...told.values()], reaches, cut: true };
        const ports = openBetween(this.model, source, side);
        if (ports.length === 0) continue;
        told.set(segment.uid, segment);
        reaches.push({ from: segment.uid, to: uids, ports });
      }
    return { segments: [...told.values()], reaches, cut: false };
  }

  /** Targets that stand alike, by the networks that are joined. */
  private targets(uids: readonly string[]): { network: string; side: Side; uids: string[] }[] {
    const alike = new Map<string, { network: string; side: Side; uids: string[] }>();
    for (const uid of [...new Set(uids)].sort()) {
      const place = placeOf(this.model, uid);
      const network = place && this.joined.of(place.networks);
      if (!place || network == null || place.part.how.part !== 'workload') continue;
      const key = this.keyOf(place);
      const known = alike.get(key);
      if (known) known.uids.push(uid);
      else alike.set(key, { network, side: sideOf(this.model, place), uids: [uid] });
    }
    return [...alike.values()];
  }

  /** The segments of the estate by the networks that are joined. */
  private all() {
    if (this.segments !== undefined) return this.segments;
    const byNetwork = new Map<string, Map<string, { segment: Segment; side: Side }>>();
    for (const { asset } of this.model.ofPart('workload')) {
      const place = placeOf(this.model, asset.resource_uid)!;
      const network = this.joined.of(place.networks);
      if (network === null) continue;
      const own = byNetwork.get(network) ?? new Map<string, { segment: Segment; side: Side }>();
      byNetwork.set(network, own);
      const key = this.keyOf(place);
      const known = own.get(key);
      if (known) known.segment.members.push(asset.resource_uid);
      else own.set(key, { segment: segmentOf(place, key), side: sideOf(this.model, place) });
    }
    this.segments = new Map([...byNetwork].map(([network, own]) => [network, [...own.values()]]));
    return this.segments;
  }

  /** Of places with the same key every filter and every route says the same. */
  private keyOf(place: Place): string {
    const sets = [place.subnets, place.networks, place.members, place.perhaps, place.missing].map((set) => [...set].sort());
    const own = BEHIND.map((role) => [...this.model.linked(place.uid, role).uids].sort());
    const addresses = place.exact ? place.blocks.map((block) => this.thresholds.of(block)).sort() : 'subnet';
    return JSON.stringify([place.part.table.provider, place.part.how.part, sets, own, addresses]);
  }
}

const sideOf = (model: NetworkModel, place: Place): Side => ({
  place,
  layers: { ingress: layersOf(model, place, 'ingress'), egress: layersOf(model, place, 'egress') },
});

const shortOf = (uid: string): string => uid.split(/[/:]/).at(-1)!;

function segmentOf(place: Place, key: string): Segment {
  const { asset } = place.part;
  const where = [...(place.subnets.size > 0 ? place.subnets : place.networks)].map(shortOf).sort();
  const with_ = [...place.members].map(shortOf).sort();
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return {
    uid: `${asset.provider}/segment/${digest}`,
    name: `${with_.length > 0 ? `${with_.slice(0, 3).join(', ')} in ` : ''}${where.slice(0, 3).join(', ')}`,
    provider: asset.provider,
    account_id: asset.account_id ?? null,
    members: [place.uid],
  };
}

/** The ports at which packets of one place surely arrive at another by their networks; `reach` tells the same of one port, with its hops. */
function openBetween(model: NetworkModel, from: Side, to: Side): PortRange[] {
  if (betweenNetworks(model, from.place, to.place)?.outcome !== 'allowed') return [];
  const sameSubnet = [...from.place.subnets].some((subnet) => to.place.subnets.has(subnet));
  const [source, target] = [partyOf(from.place, true), partyOf(to.place, true)];
  return PROTOCOLS.flatMap((protocol) => {
    const out = passing(from, target, 'egress', protocol, sameSubnet);
    const open = out.length === 0 ? out : intersect(out, passing(to, source, 'ingress', protocol, sameSubnet));
    return open.map(([first, last]) => ({ protocol, from: first, to: last }));
  });
}

/** The ports that surely pass the layers of a place in one direction, with their answers. */
function passing({ place, layers }: Side, party: Party, direction: Rule['direction'], protocol: string, sameSubnet: boolean): Ranges {
  let open: Ranges = EVERY_PORT;
  for (const layer of layers[direction]) {
    // the traffic of one subnet does not pass its network ACL
    if (layer.kind === 'network_acl' && sameSubnet) continue;
    const isStateless = layer.stateless || layer.chain.some(({ rules }) => rules.some(({ stateless }) => stateless));
    const back = isStateless ? layers[direction === 'ingress' ? 'egress' : 'ingress'].find(({ kind }) => kind === layer.kind) : undefined;
    const answered = back === undefined || returns(back, place, party, protocol) === true;
    if (layer.stateless && !answered) return [];
    const chain = answered
      ? layer.chain
      : layer.chain.map((filter) => ({ ...filter, rules: filter.rules.filter((rule) => !rule.stateless) }));
    open = intersect(open, openPorts(chain, protocol, party, place.members).sure);
    if (open.length === 0) return open;
  }
  return open;
}
