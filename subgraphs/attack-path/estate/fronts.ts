import type { Condition } from '../../../kit/graph/types.js';
import { signalled, stated } from './conditions.js';
import type { Estate } from './estate.js';

/** How the internet gets to a resource: by itself, or through what stands before it. */
export interface Front {
  /** The resource that the internet reaches. */
  readonly uid: string;
  /** TCP ports; null where they are not known. */
  readonly ports: readonly { readonly from: number; readonly to: number }[] | null;
  readonly condition: Condition;
}

const WEB = [
  { from: 80, to: 80 },
  { from: 443, to: 443 },
];
/** Resources that one stands behind, at most. */
const DEPTH = 6;
/** What hands requests on to what it is attached to, or to what is attached to it. */
const HANDS_ON =
  /(?:listener|target_group|backend|url_map|forwarding_rule|proxy|stage|route|integration|endpoint|ingress|service|load_?balancer|_lb|_alb|_elb|gateway|api)/i;
/** Parts of a network route packets, and no requests. */
const OF_NETWORKS = /(?:route_table|internet_gateway|nat_gateway|transit_gateway|vpc|network|subnet|vpn|peering)/i;

/** Which fronts each workload, database and store has. */
export function frontsOf(estate: Estate): ReadonlyMap<string, Front[]> {
  const fronts = new Map<string, Front[]>();
  const note = (uid: string, front: Front): void => {
    if (isKeptFrom(estate, uid)) return;
    const known = fronts.get(uid) ?? [];
    fronts.set(uid, known);
    if (!known.some((one) => one.uid === front.uid)) known.push(front);
  };
  for (const front of everyFront(estate)) {
    const seen = new Set([front.uid]);
    let frontier = [front.uid];
    note(front.uid, front);
    for (let depth = 0; depth < DEPTH && frontier.length > 0; depth++) {
      frontier = frontier.flatMap((uid) => handedTo(estate, uid)).filter((uid) => !seen.has(uid) && seen.add(uid));
      for (const uid of frontier) note(uid, front);
    }
  }
  return fronts;
}

/** Policies of a cluster stop what its services hand on. Elsewhere what calls code sends it no packets. */
const isKeptFrom = ({ assets, exposures }: Estate, uid: string): boolean =>
  assets.get(uid)?.provider === 'k8s' && exposures.get(uid)?.exposure === 'private';

function* everyFront(estate: Estate): Generator<Front> {
  for (const { resource_uid, exposure, ports } of estate.exposures.values()) {
    if (exposure !== 'public' || !estate.assets.has(resource_uid)) continue;
    const tcp = ports.filter(({ protocol }) => !/^(?:udp|icmp)/i.test(protocol));
    yield {
      uid: resource_uid,
      ports: ports.length === 0 ? null : tcp,
      condition: stated(
        'network-security',
        ports.length === 0 ? 'The internet reaches it' : `The internet reaches it at ${portsInWords(tcp)}`,
        `exposure:${resource_uid}`,
      ),
    };
  }
  for (const fact of estate.allSignals('public_endpoint')) {
    const { resource_uid } = fact;
    yield { uid: resource_uid, ports: WEB, condition: signalled(fact, `exposure:${resource_uid}`) };
  }
}

export const portsInWords = (ports: readonly { from: number; to: number }[]): string =>
  ports
    .slice(0, 5)
    .map(({ from, to }) => (from === to ? `port ${from}` : `ports ${from} to ${to}`))
    .join(', ');

/** To what a resource hands the requests that come to it. */
function handedTo(estate: Estate, uid: string): string[] {
  const type = (of: string) => estate.assets.get(of)?.resource_type ?? '';
  const isPart = (of: string) => HANDS_ON.test(type(of)) && !OF_NETWORKS.test(type(of));
  // what runs code answers by itself
  if (estate.runsCode(uid)) return [];
  const exposed = estate.edgesOf('exposes').outOf(uid);
  if (!isPart(uid)) return exposed;
  return [
    ...exposed,
    ...estate
      .edgesOf('routes_to')
      .outOf(uid)
      .filter((to) => isPart(to) || estate.runsCode(to)),
    ...estate
      .edgesOf('attached_to')
      .outOf(uid)
      .filter((to) => isPart(to) && !/(?:_lb|_alb|_elb|load_?balancer|api)$/i.test(type(to))),
    ...estate
      .edgesOf('attached_to')
      .into(uid)
      .filter((from) => isPart(from)),
    ...estate
      .edgesOf('exposes')
      .into(uid)
      .filter((from) => isPart(from) && isPart(uid) && /stage|listener|rule/i.test(type(from))),
  ];
}

/** Whether one of some ports is open at a front; undefined where its ports are not known. */
export const opens = ({ ports }: Front, wanted: readonly number[]): boolean | undefined =>
  ports === null ? undefined : wanted.some((port) => ports.some(({ from, to }) => from <= port && port <= to));
