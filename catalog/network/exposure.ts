import { parseBlocks, isRouted, isWide } from './address.js';
import { openPorts, type Party } from './filter.js';
import { clusterExposure } from './clusters/fronts.js';
import { isOfCluster } from './clusters/objects.js';
import { endpointRules, switchOf } from './endpoint.js';
import type { NetworkModel } from './model.js';
import { layersOf, placeOf, publicParty, type Layer, type Place } from './place.js';
import { EVERY_PORT, intersect, unite, type Ranges } from './ports.js';
import { addressHop, internetHops, reach, returns } from './reachability.js';
import { hop, internetHop } from './routes.js';
import type { Exposure, Hop, Maybe, PortRange, Rule } from './types.js';

const PROTOCOLS = ['tcp', 'udp'] as const;
/** Blocks that one asset's rules are asked about: more are too many to name. */
const MOST_SOURCES = 100;
const RANK = { public: 3, restricted: 2, unknown: 1, private: 0 } as const;

interface Opening {
  source: string;
  wide: boolean;
  version: 4 | 6;
  sure: PortRange[];
  perhaps: PortRange[];
}

/** Tells what the internet reaches. Workloads that share subnets, firewalls, tags and kind of address share one evaluation. */
export class Exposures {
  private readonly classes = new Map<string, readonly Opening[]>();

  constructor(private readonly model: NetworkModel) {}

  /** The exposure of a workload, load balancer or endpoint; undefined for other resources and for those that nobody shows. */
  of(uid: string): Exposure | undefined {
    const place = placeOf(this.model, uid);
    if (place === undefined || place.part.how.part === 'interface') return undefined;
    if (isOfCluster(place.part.asset)) return clusterExposure(this.model, place);
    const direct = this.direct(place);
    return [direct, ...this.balanced(place)].sort((a, b) => RANK[b.exposure] - RANK[a.exposure])[0]!;
  }

  private direct(place: Place): Exposure {
    const gates = ([4, 6] as const).map((version) => ({ version, hops: gateOf(this.model, place, version) }));
    const passing = gates.filter(({ hops }) => !hops.some(({ outcome }) => outcome === 'stopped'));
    if (passing.length === 0) return { exposure: 'private', ports: [], sources: [], path: gates[0]!.hops };
    const key = JSON.stringify([
      place.part.how.part === 'workload' ? '' : place.uid,
      place.part.asset.provider,
      ...[place.subnets, place.networks, place.members, place.missing].map((set) => [...set].sort()),
    ]);
    let openings = this.classes.get(key);
    if (openings === undefined) this.classes.set(key, (openings = this.openings(place)));
    const open = openings.filter(({ version }) => passing.some((gate) => gate.version === version));
    const certain = passing.filter(({ hops }) => hops.every(({ outcome }) => outcome === 'allowed')).map(({ version }) => version);
    const sure = open.filter((one) => one.sure.length > 0 && certain.includes(one.version));
    const wide = sure.filter((one) => one.wide);
    const perhaps = open.filter((one) => one.perhaps.length > 0);
    const [exposure, chosen] =
      wide.length > 0
        ? (['public', wide] as const)
        : sure.length > 0
          ? (['restricted', sure] as const)
          : perhaps.length > 0
            ? (['unknown', perhaps] as const)
            : (['private', []] as const);
    const ports = merge(chosen.flatMap((one) => (exposure === 'unknown' ? one.perhaps : one.sure)));
    const first = chosen[0] ?? openings[0];
    return { exposure, ports, sources: chosen.map(({ source }) => source), path: this.path(place, ports[0], first?.source ?? '0.0.0.0/0') };
  }

  private path(place: Place, port: PortRange | undefined, source: string): Hop[] {
    const [block] = parseBlocks(source);
    const flow = { protocol: port?.protocol ?? 'tcp', port: port?.from ?? null };
    return internetHops(this.model, place, flow, publicParty(block!), block!.version);
  }

  private openings(place: Place): Opening[] {
    const { part } = place.part.how;
    const layers: Layer[] = part === 'endpoint' ? endpointLayer(this.model, place) : layersOf(this.model, place, 'ingress');
    const back = layersOf(this.model, place, 'egress').filter(({ stateless }) => stateless);
    const listened = part === 'balancer' ? listeners(this.model, place.uid) : part === 'endpoint' ? endpointPorts(place) : undefined;
    return candidates(layers).flatMap((source) => {
      const block = parseBlocks(source)[0]!;
      const opening: Opening = { source, wide: isWide(block), version: block.version, sure: [], perhaps: [] };
      for (const protocol of PROTOCOLS) {
        const { sure, perhaps } = through(layers, back, place, protocol, publicParty(block));
        const own = listened === undefined ? EVERY_PORT : (listened.get(protocol) ?? []);
        for (const [ranges, into] of [
          [sure, opening.sure],
          [perhaps, opening.perhaps],
        ] as const)
          for (const [from, to] of intersect(ranges, own)) into.push({ protocol, from, to });
      }
      return opening.perhaps.length > 0 ? [opening] : [];
    });
  }

  /** What reaches a workload through load balancers. */
  private balanced(place: Place): Exposure[] {
    return [...this.model.linked(place.uid, 'targeted_by').uids].flatMap((target) => {
      const port = numberOf(this.model.texts(target, 'port')[0]);
      return [...this.model.linked(target, 'group').uids].flatMap((group) =>
        [...this.model.linked(group, 'listened_by').uids].flatMap((listener) =>
          [...this.model.linked(listener, 'balancer').uids].flatMap((balancer) => {
            const front = placeOf(this.model, balancer);
            if (front === undefined) return [];
            const outer = this.direct(front);
            const listens = numberOf(this.model.texts(listener, 'port')[0]);
            const ports = outer.ports.filter(({ from, to }) => listens === undefined || (from <= listens && listens <= to));
            const backend = port ?? numberOf(this.model.texts(group, 'port')[0]) ?? listens;
            const inner = reach(this.model, balancer, place.uid, { protocol: 'tcp', port: backend ?? null });
            if (outer.exposure === 'private' || ports.length === 0 || inner === undefined || inner.answer === 'blocked') return [];
            const path = [
              ...outer.path,
              hop('load_balancer', balancer, true, 'A listener hands it to the target.', listens === undefined ? null : String(listens)),
              ...inner.hops,
            ];
            return [{ ...outer, exposure: inner.answer === 'unknown' ? ('unknown' as const) : outer.exposure, ports, path }];
          }),
        ),
      );
    });
  }
}

const numberOf = (value: unknown): number | undefined =>
  Number.isInteger(Number(value)) && value !== '' && value !== null && value !== undefined ? Number(value) : undefined;

function gateOf(model: NetworkModel, place: Place, version: 4 | 6): Hop[] {
  if (place.part.how.part === 'workload') return [addressHop(model, place, version), internetHop(model, place, version)];
  const open: Maybe = version === 6 && !place.public[6] ? false : switchOf(place);
  const gate = hop(
    place.part.how.part === 'balancer' ? 'load_balancer' : 'endpoint',
    place.uid,
    open,
    open === true
      ? 'It faces the internet.'
      : open === false
        ? 'It does not face the internet.'
        : 'The inventory does not show whether it faces the internet.',
  );
  return place.part.how.part === 'balancer' ? [gate, internetHop(model, place, version)] : [gate];
}

function endpointLayer(model: NetworkModel, place: Place): Layer[] {
  const rules = endpointRules(model, place);
  return rules === undefined
    ? []
    : [{ kind: 'firewall', stateless: false, missing: [], chain: [{ uid: place.uid, rules, byDefault: 'deny' }] }];
}

function endpointPorts(place: Place): Map<string, Ranges> {
  const port = place.part.how.public?.port;
  return new Map([['tcp', typeof port === 'number' ? [[port, port]] : EVERY_PORT]]);
}

function listeners(model: NetworkModel, balancer: string): Map<string, Ranges> {
  const ports = new Map<string, Ranges>();
  for (const listener of model.linked(balancer, 'listened_by').uids) {
    const port = numberOf(model.texts(listener, 'port')[0]);
    const protocol = /^(?:udp|quic)$/i.test(String(model.texts(listener, 'protocol')[0])) ? 'udp' : 'tcp';
    if (port !== undefined) ports.set(protocol, unite(ports.get(protocol) ?? [], [[port, port]]));
  }
  return ports;
}

/** Everybody, and the public blocks that rules name. */
function candidates(layers: readonly Layer[]): string[] {
  const named = new Set(['0.0.0.0/0', '::/0']);
  const rules: Rule[] = layers.flatMap(({ chain }) => chain.flatMap((filter) => filter.rules));
  for (const { action, peers } of rules) {
    for (const peer of action === 'allow' ? peers : []) {
      if (
        named.size < MOST_SOURCES &&
        peer.kind === 'block' &&
        parseBlocks(peer.block).length === 1 &&
        isRouted(parseBlocks(peer.block)[0]!)
      )
        named.add(peer.block);
    }
  }
  return [...named];
}

function through(
  layers: readonly Layer[],
  back: readonly Layer[],
  place: Place,
  protocol: string,
  party: Party,
): { sure: Ranges; perhaps: Ranges } {
  let [sure, perhaps]: [Ranges, Ranges] = [EVERY_PORT, EVERY_PORT];
  for (const layer of layers) {
    const open = openPorts(layer.chain, protocol, party, place.members);
    [sure, perhaps] = [intersect(sure, open.sure), intersect(perhaps, open.perhaps)];
  }
  for (const layer of back) {
    const passes = returns(layer, place, party, protocol);
    if (passes !== true) sure = [];
    if (passes === false) perhaps = [];
  }
  return { sure, perhaps };
}

function merge(ports: readonly PortRange[]): PortRange[] {
  return PROTOCOLS.flatMap((protocol) => {
    const ranges = ports.filter((port) => port.protocol === protocol).map(({ from, to }) => [from, to] as const);
    return unite(ranges, []).map(([from, to]) => ({ protocol, from, to }));
  });
}
