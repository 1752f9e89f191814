import { blocks, items, text } from '../../cel/read.js';
import { isRouted, isWide, parseBlocks } from '../address.js';
import { judge, type Party } from '../filter.js';
import type { NetworkModel } from '../model.js';
import { layersOf, publicParty, type Place } from '../place.js';
import { everywhere, hop } from '../routes.js';
import type { Exposure, Flow, Hop, Maybe, PortRange } from '../types.js';
import { facesByIngress, isInternalService } from './facing.js';
import { clusterOf, containerPorts, isOnHost, metadataOf, podOf, servicePorts, specOf, type ServicePort } from './objects.js';

/** A way from outside to an object of a cluster. */
export interface ClusterFront {
  hops: readonly Hop[];
  /** The ports that are asked for outside. */
  ports: readonly PortRange[];
  /** Addresses that are let in. */
  sources: readonly string[];
}

const EVERYONE = ['0.0.0.0/0', '::/0'];

/** The ways from the internet to a service, an ingress or the pods of a workload. */
export function clusterFronts(model: NetworkModel, place: Place): ClusterFront[] {
  const { asset, how } = place.part;
  if (how.part === 'balancer') return isIngress(place) ? [ingressFront(model, place)] : serviceFronts(model, place.uid);
  const own = hostFronts(model, place);
  const served = [...model.linked(place.uid, 'served_by').uids].flatMap((service) => {
    const ports = servicePorts(model.parts.get(service)!.asset);
    return [
      ...serviceFronts(model, service).flatMap((front) => onTo(model, place, front, ports, publicPartyOf(front))),
      ...ingressesOf(model, service).flatMap((ingress) =>
        onTo(model, place, ingressFront(model, { ...place, uid: ingress, part: model.parts.get(ingress)! }), ports, SOMEBODY),
      ),
    ];
  });
  return isOnHost(asset) ? own : [...own, ...served];
}

const isIngress = ({ part }: Pick<Place, 'part'>): boolean => /^kubernetes_ingress/.test(part.asset.resource_type);

/** A pod of the cluster that nobody can name: the controller of an ingress. */
const SOMEBODY: Party = { blocks: [], exact: false, members: { has: () => undefined }, named: () => undefined };

const publicPartyOf = ({ sources }: ClusterFront): Party => publicParty(parseBlocks(sources[0] ?? '0.0.0.0/0')[0] ?? everywhere(4));

/** From a front to the pods behind it: the port that it hands on to, and the policies of the pods. */
function onTo(model: NetworkModel, place: Place, front: ClusterFront, ports: readonly ServicePort[], party: Party): ClusterFront[] {
  return ports.flatMap(({ protocol, target }) => {
    const named = containerPorts(place.part.asset).filter((one) => one.protocol === protocol);
    const port = typeof target === 'number' ? target : named.find(({ name }) => name === target)?.port;
    const passed = policyHops(model, place, party, { protocol, port: port ?? null });
    const own = front.ports.filter((one) => one.protocol === protocol);
    return own.length === 0 ? [] : [{ ...front, ports: own, hops: [...front.hops, ...passed] }];
  });
}

function policyHops(model: NetworkModel, place: Place, party: Party, flow: Flow): Hop[] {
  return layersOf(model, place, 'ingress').map(({ chain, missing }) => {
    const { answer, rule, filter } = judge(chain, flow, party, place.members);
    const reason =
      answer === undefined
        ? `The inventory does not show ${missing[0] ?? 'what the policy refers to'}.`
        : answer
          ? rule === undefined
            ? 'No policy is about it.'
            : 'A rule admits it.'
          : 'No rule of its policies admits it.';
    return hop('network_policy', rule?.uid ?? filter?.uid ?? null, answer, reason, rule?.label ?? null);
  });
}

/** Services by a load balancer, by addresses of their own, and by a port of each node. */
function serviceFronts(model: NetworkModel, uid: string): ClusterFront[] {
  const { asset } = model.parts.get(uid)!;
  const spec = specOf(asset);
  const type = text(spec['type']) ?? 'ClusterIP';
  const ports = servicePorts(asset);
  const own = ports.map(({ protocol, port }) => ({ protocol, from: port, to: port }));
  if (type === 'LoadBalancer') {
    const isInternal = isInternalService(asset);
    const gate = hop('load_balancer', uid, !isInternal, isInternal ? 'It does not face the internet.' : 'It faces the internet.');
    return [{ hops: [gate], ports: own, sources: rangesOf(items(spec['load_balancer_source_ranges'])) }];
  }
  if (type === 'NodePort') {
    const nodePorts = blocks(spec['port']).flatMap((one) => {
      const port = Number(one['node_port']);
      return Number.isInteger(port) && port > 0 ? [{ protocol: (text(one['protocol']) ?? 'tcp').toLowerCase(), from: port, to: port }] : [];
    });
    const all = nodePorts.length > 0 ? nodePorts : own.map(({ protocol }) => ({ protocol, from: 30_000, to: 32_767 }));
    return [{ hops: [nodeHop(model, clusterOf(asset))], ports: all, sources: EVERYONE }];
  }
  const external = items(spec['external_ips']).flatMap((address) => parseBlocks(address ?? ''));
  if (external.some(isRouted))
    return [{ hops: [hop('public_address', uid, undefined, 'It has an address that is routed to nodes.')], ports: own, sources: EVERYONE }];
  return [{ hops: [hop('load_balancer', uid, false, 'It has an address inside of the cluster alone.')], ports: own, sources: EVERYONE }];
}

function rangesOf(ranges: readonly (string | undefined)[]): string[] {
  const known = ranges.filter((range) => range !== undefined);
  return known.length === 0 ? EVERYONE : known.filter((range) => parseBlocks(range).some(isRouted));
}

function ingressFront(model: NetworkModel, { uid }: Pick<Place, 'uid'> & { part: unknown }): ClusterFront {
  const { asset } = model.parts.get(uid)!;
  const spec = specOf(asset);
  const facing = facesByIngress(asset);
  const reason =
    facing === undefined
      ? 'The inventory does not show whether its controller faces the internet.'
      : facing
        ? 'It faces the internet.'
        : 'It does not face the internet.';
  const web = blocks(spec['tls']).length > 0 ? [80, 443] : [80];
  return {
    hops: [hop('load_balancer', uid, facing, reason)],
    ports: web.map((port) => ({ protocol: 'tcp', from: port, to: port })),
    sources: EVERYONE,
  };
}

/** The ingresses whose rules lead to a service. */
function ingressesOf(model: NetworkModel, service: string): string[] {
  const { asset } = model.parts.get(service)!;
  const [cluster, { name, namespace }] = [clusterOf(asset), metadataOf(asset)];
  return [...model.linked(`${cluster}/${namespace}/${name}`, 'ingress').uids];
}

/** Ports of the nodes that pods take for themselves. */
function hostFronts(model: NetworkModel, place: Place): ClusterFront[] {
  const { asset } = place.part;
  const all = isOnHost(asset);
  const ports = containerPorts(asset).flatMap(({ protocol, port, host }) => {
    const own = all ? port : host;
    return own === undefined ? [] : [{ protocol, from: own, to: own }];
  });
  if (ports.length === 0 && !(all && podOf(asset).spec !== undefined)) return [];
  const gate = nodeHop(model, clusterOf(asset));
  if (all) return [{ hops: [gate], ports, sources: EVERYONE }];
  return ports.map((port) => ({
    hops: [gate, ...policyHops(model, place, publicParty(everywhere(4)), { protocol: port.protocol, port: port.from })],
    ports: [port],
    sources: EVERYONE,
  }));
}

/** Whether the internet gets to the nodes: one of them has a public address, and firewalls before them are not part of the cluster. */
function nodeHop(model: NetworkModel, cluster: string): Hop {
  const nodes = [...model.linked(cluster, 'node').uids];
  const addresses = nodes.flatMap((uid) => model.texts(uid, 'addresses').flatMap((one) => blocks(one)));
  const isPublic = addresses.some(({ type, address }) => text(type) === 'ExternalIP' && parseBlocks(text(address) ?? '').some(isRouted));
  if (nodes.length === 0 || addresses.length === 0)
    return hop('public_address', null, undefined, 'The inventory does not show the addresses of the nodes.');
  return isPublic
    ? hop(
        'public_address',
        nodes[0]!,
        undefined,
        'A node has a public address, and the inventory of the cluster does not show what stands before it.',
      )
    : hop('public_address', nodes[0]!, false, 'No node has a public address.');
}

const outcomeOf = (hops: readonly Hop[]): Maybe =>
  hops.some(({ outcome }) => outcome === 'stopped') ? false : hops.some(({ outcome }) => outcome === 'unknown') ? undefined : true;

const RANK = { public: 3, restricted: 2, unknown: 1, private: 0 } as const;

/** What of a service, an ingress or the pods of a workload the internet reaches. */
export function clusterExposure(model: NetworkModel, place: Place): Exposure {
  const answers = clusterFronts(model, place).map(({ hops, ports, sources }): Exposure => {
    const outcome = sources.length === 0 ? false : outcomeOf(hops);
    const isOpen = sources.some((source) => parseBlocks(source).some(isWide));
    const exposure = outcome === false ? 'private' : outcome === undefined ? 'unknown' : isOpen ? 'public' : 'restricted';
    return {
      exposure,
      ports: exposure === 'private' ? [] : [...ports],
      sources: exposure === 'private' ? [] : [...sources],
      path: [...hops],
    };
  });
  const [best, ...others] = answers.sort((one, other) => RANK[other.exposure] - RANK[one.exposure]);
  if (best === undefined) return { exposure: 'private', ports: [], sources: [], path: [nothing(place)] };
  const alike = others.filter(({ exposure }) => exposure === best.exposure);
  const ports = new Map([best, ...alike].flatMap((one) => one.ports).map((port) => [`${port.protocol} ${port.from} ${port.to}`, port]));
  return { ...best, ports: [...ports.values()].sort((one, other) => one.from - other.from || (one.protocol < other.protocol ? -1 : 1)) };
}

const nothing = ({ uid }: Place): Hop => hop('load_balancer', uid, false, 'No service, ingress or port of a node leads to it.');

/** The hops of a packet from the internet; of several ways the one that gets furthest. */
export function clusterHops(model: NetworkModel, place: Place, { protocol, port }: Flow, party: Party): Hop[] {
  const fronts = clusterFronts(model, place).filter(({ ports }) =>
    ports.some((one) => one.protocol === protocol && (port === null || (one.from <= port && port <= one.to))),
  );
  const ways = fronts.map(({ hops, sources }) => {
    const blocked = sources.some((source) => parseBlocks(source).some(isWide)) ? [] : [rangesHop(place, sources, party)];
    return [...hops.slice(0, 1), ...blocked, ...hops.slice(1)];
  });
  const rank = (hops: readonly Hop[]) => [false, undefined, true].indexOf(outcomeOf(hops));
  return ways.sort((one, other) => rank(other) - rank(one))[0] ?? [nothing(place)];
}

const rangesHop = ({ uid }: Place, sources: readonly string[], { blocks: asked }: Party): Hop => {
  const answer = asked.every((inner) =>
    sources.some((source) => parseBlocks(source).some((outer) => outer.first <= inner.first && inner.last <= outer.last)),
  );
  return hop('firewall', uid, answer, answer ? 'Its source ranges admit it.' : 'Its source ranges do not admit it.');
};

/** To which ports of which pods a service hands on what is asked of one of its ports. */
export function handedOn(
  model: NetworkModel,
  service: string,
  { protocol, port }: Flow,
): { hop: Hop; targets: { uid: string; port: number | null }[] } {
  const { asset } = model.parts.get(service)!;
  if (/^kubernetes_ingress/.test(asset.resource_type))
    return { hop: hop('load_balancer', service, undefined, 'The inventory does not show the address of its controller.'), targets: [] };
  const asked = servicePorts(asset).filter((one) => one.protocol === protocol && (port === null || one.port === port));
  const targets = asked.flatMap(({ target }) =>
    [...model.linked(service, 'serves').uids].flatMap((uid) => {
      const own = containerPorts(model.parts.get(uid)!.asset);
      const number = typeof target === 'number' ? target : own.find(({ name }) => name === target)?.port;
      return number === undefined ? [] : [{ uid, port: port === null ? null : number }];
    }),
  );
  const reason =
    targets.length > 0
      ? 'The service hands it to a pod.'
      : asked.length === 0
        ? 'The service has no such port.'
        : 'The service hands it to no pod that is shown.';
  return { hop: hop('load_balancer', service, targets.length > 0, reason), targets };
}
