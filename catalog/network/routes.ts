import { covers, overlaps, parseBlocks, type Block } from './address.js';
import type { NetworkModel, Route } from './model.js';
import type { Place } from './place.js';
import type { Hop, Maybe } from './types.js';

const outcomeOf = (answer: Maybe): Hop['outcome'] => (answer === true ? 'allowed' : answer === false ? 'stopped' : 'unknown');
export const hop = (kind: string, resource_uid: string | null, answer: Maybe, reason: string, rule: string | null = null): Hop => ({
  kind,
  resource_uid,
  rule,
  outcome: outcomeOf(answer),
  reason,
});

/** Every address of a version. */
export const everywhere = (version: 4 | 6): Block => parseBlocks(version === 4 ? '0.0.0.0/0' : '::/0')[0]!;

/** What ids and references say of a gateway that the inventory does not show. */
const GATEWAY_FORMS = [
  ['internet', /^igw-|\.internetgateway\.|\b(?:aws|oci_core)_internet_gateway\b/],
  ['outbound', /^(?:nat|eigw)-|\.natgateway\.|_nat_gateway\b|egress_only/],
  ['transit', /^tgw-|\.drg\.|_transit_gateway\b|_core_drg\b/],
  ['vpn', /^vgw-|_vpn_gateway\b/],
] as const;

export const gatewayOf = (model: NetworkModel, via: string): string | undefined =>
  model.parts.get(via)?.how.gateway ?? GATEWAY_FORMS.find(([, form]) => form.test(via))?.[0];

/** The routes of a place, those of its subnets' own tables before the network's; undefined where no table is shown. */
export function routesOf(model: NetworkModel, place: Place): readonly Route[] | undefined {
  const own = [...place.subnets].flatMap((subnet) => [...model.linked(subnet, 'route_table').uids]);
  const tables = own.length > 0 ? own : [...place.networks].flatMap((network) => [...model.linked(network, 'route_table').uids]);
  return tables.length === 0 ? undefined : tables.flatMap((table) => model.routesOf(table));
}

/** The route that decides for a block: the longest that covers it. */
export function routeTo(routes: readonly Route[], target: Block): Route | undefined {
  let best: { route: Route; size: bigint } | undefined;
  for (const route of routes) {
    for (const block of route.blocks) {
      const size = block.last - block.first;
      if (covers(block, target) && (best === undefined || size < best.size)) best = { route, size };
    }
  }
  return best?.route;
}

/** Whether a public address of the place works: its subnet has a way to an internet gateway. */
export function internetHop(model: NetworkModel, place: Place, version: 4 | 6): Hop {
  const { table } = place.part;
  const routes = routesOf(model, place);
  const route = routes && routeTo(routes, everywhere(version));
  if (table.internet_route === 'implied') {
    if (route !== undefined && /^none$/i.test(route.hop ?? '')) return hop('route', route.uid, false, 'The default route drops packets.');
    if (route !== undefined && /^virtual(?:appliance|networkgateway)$/i.test(route.hop ?? ''))
      return hop('route', route.uid, undefined, 'The default route leads to an appliance or gateway that is not shown.');
    return hop('gateway', route?.uid ?? null, true, 'The provider routes a public address to its resource.');
  }
  if (place.subnets.size === 0) return hop('route', null, undefined, 'The inventory does not show the subnet.');
  if (routes === undefined)
    return hop('route', [...place.subnets][0] ?? null, undefined, 'The inventory does not show the route table of the subnet.');
  if (route === undefined) return hop('route', [...place.subnets][0] ?? null, false, 'No route leads to an internet gateway.');
  const kinds = route.via.map((via) => gatewayOf(model, via));
  if (kinds.includes('internet'))
    return hop(
      'gateway',
      route.via.find((via) => model.parts.has(via)) ?? route.uid,
      true,
      'A default route leads to an internet gateway.',
    );
  return hop('route', route.uid, kinds.includes(undefined) ? undefined : false, 'The default route does not lead to an internet gateway.');
}

/** How packets get from the network of one place to that of another; null where nothing joins them. */
export function betweenNetworks(model: NetworkModel, from: Place, to: Place): Hop | null {
  if ([...from.networks].some((network) => to.networks.has(network))) return hop('route', null, true, 'Both are in the same network.');
  if (from.networks.size === 0 || to.networks.size === 0) {
    const missing = [...from.missing, ...to.missing][0];
    return hop(
      'network',
      null,
      undefined,
      missing === undefined ? 'The inventory does not show the network.' : `The inventory does not show ${missing}.`,
    );
  }
  const oneWay = from.part.table.parts.find(({ part }) => part === 'peering')?.texts['one_way'] !== undefined;
  const sides = model.ofPart('peering').flatMap(({ asset: { resource_uid: uid } }) => {
    const [own, peer] = [model.linked(uid, 'network').uids, model.linked(uid, 'peer').uids];
    if (model.flagOf(uid, 'open') === false) return [];
    const joins = (a: Place, b: Place): boolean =>
      [...a.networks].some((network) => own.has(network)) && [...b.networks].some((network) => peer.has(network));
    return [{ uid, there: joins(from, to), back: joins(to, from) }].filter(({ there, back }) => there || back);
  });
  const [there, back] = [sides.find((side) => side.there), sides.find((side) => side.back)];
  const peering = there ?? back;
  if (peering !== undefined) {
    if (oneWay && (there === undefined || back === undefined))
      return hop('peering', peering.uid, false, 'Only one of the networks is peered with the other.');
    if (from.part.table.internet_route === 'implied') return hop('peering', peering.uid, true, 'The networks are peered.');
    return routed(model, from, to, peering.uid, (via) => via === peering.uid, 'peering');
  }
  const attached = (place: Place): string[] =>
    model
      .ofPart('attachment')
      .flatMap(({ asset: { resource_uid: uid } }) =>
        [...model.linked(uid, 'network').uids].some((network) => place.networks.has(network))
          ? [...model.linked(uid, 'gateway').uids, ...model.linked(uid, 'gateway').missing]
          : [],
      );
  const others = new Set(attached(to));
  const transit = attached(from).find((gateway) => others.has(gateway));
  return transit === undefined ? null : routed(model, from, to, transit, (via) => via === transit, 'gateway');
}

/** Both networks need a route to the other by way of what joins them. */
function routed(model: NetworkModel, from: Place, to: Place, uid: string, leads: (via: string) => boolean, kind: string): Hop {
  for (const [here, there] of [
    [from, to],
    [to, from],
  ] as const) {
    const routes = routesOf(model, here);
    if (routes === undefined || there.blocks.length === 0)
      return hop('route', uid, undefined, 'The inventory does not show the route table or the addresses.');
    const fits = there.blocks.map((block) => {
      const route = routeTo(routes, block);
      if (route?.via.some(leads)) return true;
      return routes.some((one) => one.via.some(leads) && one.blocks.some((wide) => overlaps(wide, block))) ? undefined : false;
    });
    if (!fits.includes(true))
      return hop(
        'route',
        [...here.subnets][0] ?? null,
        fits.includes(undefined) ? undefined : false,
        'No route leads to the other network.',
      );
  }
  return hop(kind, uid, true, 'The networks are joined, and routes lead both ways.');
}
