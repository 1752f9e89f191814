import { all, judge, openPorts, type Party } from './filter.js';
import type { NetworkModel } from './model.js';
import { clusterHops, handedOn } from './clusters/fronts.js';
import { isOfCluster } from './clusters/objects.js';
import { endpointHops } from './endpoint.js';
import { layersOf, partyOf, placeOf, publicParty, type Layer, type Place } from './place.js';
import { betweenNetworks, everywhere, hop, internetHop } from './routes.js';
import type { Flow, Hop, Maybe, Reachability, Rule } from './types.js';

/** Ports from which clients ask: those of Linux, which lie in what every other system uses. */
const EPHEMERAL = { first: 32_768, last: 60_999 };

/** The word for everybody as `from` or `to` of a question. */
export const INTERNET = 'internet';

/**
 * Whether packets get from one resource to another.
 * @param from uid of a workload, or `internet`
 * @param to uid of a workload, load balancer or endpoint
 * @returns undefined where one of them is none of these
 */
export function reach(model: NetworkModel, from: string, to: string, flow: Flow): Reachability | undefined {
  const target = placeOf(model, to);
  if (target === undefined) return undefined;
  if (from === INTERNET) return fromInternet(model, target, flow);
  const source = placeOf(model, from);
  if (source === undefined) return undefined;
  if (isOfCluster(source.part.asset) !== isOfCluster(target.part.asset))
    return answerOf([hop('network', null, undefined, 'The inventory does not show in which network the nodes of the cluster are.')]);
  if (isOfCluster(target.part.asset) && target.part.how.part === 'balancer') return throughService(model, from, to, flow);
  const between = target.part.how.part === 'endpoint' ? null : betweenNetworks(model, source, target);
  if (between === null) return overInternet(model, source, target, flow);
  const near = between.outcome === 'allowed';
  const parties = [partyOf(source, near), partyOf(target, near)] as const;
  // the traffic of one subnet does not pass its network ACL
  const sameSubnet = [...source.subnets].some((subnet) => target.subnets.has(subnet));
  const hops = [
    ...passLayers(model, source, parties[1], flow, 'egress', sameSubnet),
    between,
    ...passLayers(model, target, parties[0], flow, 'ingress', sameSubnet).reverse(),
  ];
  return answerOf(hops);
}

/** From inside of a cluster to a service: the best of the ways to the pods that it hands on to. */
function throughService(model: NetworkModel, from: string, to: string, flow: Flow): Reachability {
  const { hop: first, targets } = handedOn(model, to, flow);
  const answers = targets.map(({ uid, port }) => {
    const inner = reach(model, from, uid, { protocol: flow.protocol, port })!;
    return answerOf([first, ...inner.hops]);
  });
  return betterOf(answers) ?? answerOf([first]);
}

const betterOf = (answers: readonly Reachability[]): Reachability | undefined =>
  answers.find(({ answer }) => answer === 'reachable') ?? answers.find(({ answer }) => answer === 'unknown') ?? answers[0];

/** The answer for one version of IP is enough: the better of both. */
function fromInternet(model: NetworkModel, target: Place, flow: Flow): Reachability {
  const answers = ([4, 6] as const).map((version) =>
    answerOf(internetHops(model, target, flow, publicParty(everywhere(version)), version)),
  );
  return betterOf(answers)!;
}

function overInternet(model: NetworkModel, source: Place, target: Place, flow: Flow): Reachability {
  const answers = ([4, 6] as const).map((version) => {
    const everyone = publicParty(everywhere(version));
    const inside = internetHops(model, target, flow, everyone, version);
    if (inside[0]?.outcome === 'stopped')
      return answerOf([hop('route', null, false, 'Nothing joins the networks, and the target has no public address.')]);
    return answerOf([...passLayers(model, source, everyone, flow, 'egress', false), ...inside]);
  });
  return betterOf(answers)!;
}

/** The hops from a block of public addresses to a place. */
export function internetHops(model: NetworkModel, target: Place, flow: Flow, party: Party, version: 4 | 6): Hop[] {
  if (isOfCluster(target.part.asset)) return clusterHops(model, target, flow, party);
  if (target.part.how.part === 'endpoint') return endpointHops(model, target, party, version);
  return [
    addressHop(model, target, version),
    internetHop(model, target, version),
    ...passLayers(model, target, party, flow, 'ingress', false).reverse(),
  ];
}

export function addressHop(model: NetworkModel, place: Place, version: 4 | 6): Hop {
  const [address] = place.addresses;
  const own = place.public[version];
  // a standard public address of Azure admits only what a network security group allows
  if (own === true && place.part.table.provider === 'azure' && address !== undefined && layersOf(model, place, 'ingress').length === 0) {
    const sku = String(model.texts(address, 'sku')[0] ?? '').toLowerCase();
    if (sku !== 'basic')
      return hop(
        'public_address',
        address,
        sku === 'standard' ? false : undefined,
        'A standard public address admits nothing without a network security group.',
      );
  }
  const reason =
    own === true
      ? 'It has a public address.'
      : own === false
        ? 'It has no public address.'
        : 'The inventory does not show whether it has a public address.';
  return hop('public_address', address ?? place.uid, own, reason);
}

function passLayers(model: NetworkModel, place: Place, party: Party, flow: Flow, direction: Rule['direction'], sameSubnet: boolean): Hop[] {
  return layersOf(model, place, direction)
    .filter(({ kind }) => kind !== 'network_acl' || !sameSubnet)
    .flatMap((layer) => {
      const { rule } = judge(layer.chain, flow, party, place.members);
      const back = layer.stateless || rule?.stateless === true ? returnHop(model, place, party, flow, direction, layer.kind) : undefined;
      return back === undefined ? [layerHop(layer, place, party, flow)] : [back, layerHop(layer, place, party, flow)];
    });
}

function layerHop(layer: Layer, place: Place, party: Party, flow: Flow): Hop {
  const { answer, filter, rule } = judge(layer.chain, flow, party, place.members);
  const uid = rule?.uid ?? filter?.uid ?? null;
  if (answer === undefined) {
    const missing = layer.missing[0] ?? (rule === undefined ? 'its rules' : 'what the rule refers to');
    return hop(layer.kind, uid, undefined, `The inventory does not show ${missing}.`, rule?.label ?? null);
  }
  return hop(
    layer.kind,
    uid,
    answer,
    rule === undefined
      ? `No rule names it: it is ${answer ? 'admitted' : 'refused'} by default.`
      : `A rule ${answer ? 'admits' : 'refuses'} it.`,
    rule?.label ?? null,
  );
}

/** Answers pass a stateless filter the other way, to a port that the client chose. */
function returnHop(
  model: NetworkModel,
  place: Place,
  party: Party,
  flow: Flow,
  direction: Rule['direction'],
  kind: Layer['kind'],
): Hop | undefined {
  const other = direction === 'ingress' ? 'egress' : 'ingress';
  const layer = layersOf(model, place, other).find((one) => one.kind === kind);
  if (layer === undefined || flow.port === null) return undefined;
  const answer = returns(layer, place, party, flow.protocol);
  const uid = layer.chain[0]?.uid ?? null;
  return answer === true
    ? undefined
    : hop(kind, uid, answer, answer === false ? 'Answers are refused.' : 'Answers to some ports of clients are refused.', 'return');
}

/** Whether answers to the ports of clients pass. */
export function returns(layer: Layer, place: Place, party: Party, protocol: string): Maybe {
  const { sure, perhaps } = openPorts(layer.chain, protocol, party, place.members);
  if (sure.some(([from, to]) => from <= EPHEMERAL.first && to >= EPHEMERAL.last)) return true;
  return perhaps.some(([from, to]) => to >= 1024 && from <= 65_535) ? undefined : false;
}

/** What hops come to. */
export function answerOf(hops: Hop[]): Reachability {
  const outcome = all(hops.map((one) => (one.outcome === 'allowed' ? true : one.outcome === 'stopped' ? false : undefined)));
  if (outcome === true) return { answer: 'reachable', hops, stop: null };
  const stop = hops.find((one) => one.outcome === (outcome === false ? 'stopped' : 'unknown'))!;
  return { answer: outcome === false ? 'blocked' : 'unknown', hops, stop };
}
