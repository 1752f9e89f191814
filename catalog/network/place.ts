import { leavesOpen } from '../../schema/unknown-paths.js';
import { text } from '../cel/read.js';
import type { Block } from './address.js';
import type { Filter, Party } from './filter.js';
import type { NetworkModel } from './model.js';
import type { Part } from './part.js';
import type { Maybe, Rule } from './types.js';

/** Filters of one kind, all of which a packet must pass; each layer is a chain whose filters hand on to the next. */
export interface Layer {
  kind: 'firewall' | 'network_acl' | 'network_policy';
  chain: readonly Filter[];
  /** Whether answers are asked about, too. */
  stateless: boolean;
  /** What the inventory does not show of it. */
  missing: readonly string[];
}

/** Where a workload stands in its network. */
export interface Place {
  uid: string;
  part: Part;
  subnets: ReadonlySet<string>;
  networks: ReadonlySet<string>;
  members: ReadonlySet<string>;
  /** Groups that it may be in: what they go by is not shown. */
  perhaps: ReadonlySet<string>;
  blocks: readonly Block[];
  /** Whether the blocks are its own addresses, not those of its subnet. */
  exact: boolean;
  /** Whether it has a public address, of IPv4 and of IPv6. */
  public: Readonly<Record<4 | 6, Maybe>>;
  addresses: ReadonlySet<string>;
  missing: ReadonlySet<string>;
}

/** Finds where a resource stands; undefined where it is no workload, balancer or endpoint. */
export function placeOf(model: NetworkModel, uid: string): Place | undefined {
  const part = model.parts.get(uid);
  if (part === undefined || !['workload', 'interface', 'balancer', 'endpoint'].includes(part.how.part)) return undefined;
  const missing = new Set<string>();
  const gather = (uids: Iterable<string>, role: string): Set<string> => {
    const found = new Set<string>();
    for (const one of uids) {
      const links = model.linked(one, role);
      for (const other of links.uids) found.add(other);
      for (const name of links.missing) missing.add(`${role} ${name}`);
    }
    return found;
  };
  const interfaces = [uid, ...gather([uid], 'interface')];
  const groups = gather(interfaces, 'subnet_group');
  const subnets = gather([...interfaces, ...groups], 'subnet');
  const networks = new Set([...gather(subnets, 'network'), ...gather(interfaces, 'network')]);
  const addresses = gather(interfaces, 'address');
  const own = interfaces.flatMap((one) => model.blocks(one, 'address'));
  const members = new Set([...gather(interfaces, 'firewall'), ...gather(interfaces, 'member'), ...groups]);
  for (const one of interfaces) {
    for (const name of model.linked(one, 'firewall').missing) members.add(name);
    for (const value of model.texts(one, 'member')) if (text(value) !== undefined) members.add(text(value)!);
  }
  return {
    uid,
    part,
    subnets,
    networks,
    members,
    perhaps: gather([uid], 'perhaps_member'),
    addresses,
    blocks: own.length > 0 ? own : [...subnets].flatMap((subnet) => model.blocks(subnet, 'blocks')),
    exact: own.length > 0,
    public: publicOf(model, part, interfaces, subnets, addresses),
    missing,
  };
}

function publicOf(
  model: NetworkModel,
  { asset, how, table }: Part,
  interfaces: readonly string[],
  subnets: Iterable<string>,
  addresses: ReadonlySet<string>,
): Place['public'] {
  const v6 = interfaces.some((one) => model.texts(one, 'public6').length > 0);
  if (how.part === 'balancer' || how.part === 'endpoint') return { 4: undefined, 6: v6 };
  const values = interfaces.flatMap((one) => model.texts(one, 'public'));
  if (addresses.size > 0) return { 4: true, 6: v6 };
  const closed = [...subnets].some((subnet) => model.flagOf(subnet, 'closed') === true);
  if (closed) return { 4: false, 6: false };
  const said = values.map((value) =>
    typeof value === 'boolean' ? value : typeof value !== 'string' || (value !== '' && value !== 'false'),
  );
  if (said.includes(true))
    return { 4: values.some((value) => typeof value === 'string' && value.includes('${')) ? undefined : true, 6: v6 };
  if (said.length > 0) return { 4: false, 6: v6 };
  const unknown = (how.texts['public'] ?? []).some((path) => leavesOpen(asset, path));
  const assigned = [...subnets].some((subnet) => model.flagOf(subnet, 'assigns_public') === true);
  const byDefault = table.provider === 'oci' && [...subnets].length > 0;
  return { 4: assigned || byDefault ? true : unknown ? undefined : false, 6: v6 };
}

/** The filters between a workload and its subnet's edge, nearest first. */
export function layersOf(model: NetworkModel, place: Place, direction: Rule['direction']): Layer[] {
  const { table, how } = place.part;
  if (how.part === 'endpoint') return [];
  const filter = (uid: string, byDefault: Filter['byDefault']): Filter => ({
    uid,
    rules: model.rulesOf(uid).filter((rule) => rule.direction === direction),
    byDefault: model.isWhole(uid) ? byDefault : undefined,
  });
  const layers: Layer[] =
    table.provider === 'k8s'
      ? clusterLayers(model, place, direction, filter)
      : table.provider === 'gcp'
        ? [gcpLayer(model, place, direction, filter)]
        : firewallLayers(model, place, direction, filter);
  if (table.acl !== undefined) {
    for (const subnet of place.subnets) {
      const { uids, missing } = model.linked(subnet, 'acl');
      const chain = [...uids].map((uid) => filter(uid, table.acl![direction]));
      const none: Filter = {
        uid: null,
        rules: [],
        byDefault: missing.size > 0 || table.acl.none === 'unknown' ? undefined : table.acl.none,
      };
      layers.push({ kind: 'network_acl', chain: chain.length > 0 ? chain : [none], stateless: chain.length > 0, missing: [...missing] });
    }
  }
  return layers;
}

type MakeFilter = (uid: string, byDefault: Filter['byDefault']) => Filter;

function firewallLayers(model: NetworkModel, place: Place, direction: Rule['direction'], filter: MakeFilter): Layer[] {
  const { table } = place.part;
  const { several, none } = table.firewall;
  const interfaces = [place.uid, ...model.linked(place.uid, 'interface').uids];
  const levels = [interfaces, [...place.subnets]].map((uids) => {
    const links = uids.map((uid) => model.linked(uid, 'firewall'));
    return {
      uids: [...new Set(links.flatMap((link) => [...link.uids]))].sort(),
      missing: [...new Set(links.flatMap((link) => [...link.missing]))],
    };
  });
  const kind = 'firewall';
  const stateless = false;
  const missing = levels.flatMap((level) => level.missing);
  const uids = levels.flatMap((level) => level.uids);
  const ruled = table.firewall[direction];
  if (several === 'each') {
    const layers = uids.map((uid): Layer => ({ kind, stateless, missing: [], chain: [withDefaults(filter(uid, ruled), direction)] }));
    return missing.length > 0 ? [...layers, { kind, stateless, missing, chain: [{ uid: null, rules: [], byDefault: undefined }] }] : layers;
  }
  if (uids.length === 0) {
    const byDefault = missing.length > 0 || none[direction] === 'unknown' ? undefined : none[direction];
    return [{ kind, stateless, missing, chain: [{ uid: null, rules: [], byDefault }] }];
  }
  const filters = uids.map((uid) => filter(uid, ruled));
  const whole = missing.length === 0 && filters.every(({ byDefault }) => byDefault !== undefined);
  const rules = filters.flatMap((one) => one.rules).sort((a, b) => a.priority - b.priority);
  return [{ kind, stateless, missing, chain: [{ uid: uids[0]!, rules, byDefault: whole ? ruled : undefined }] }];
}

/** Policies of the organization and of folders, the network's rules, the network's policies, and what is implied. */
function gcpLayer(model: NetworkModel, place: Place, direction: Rule['direction'], filter: MakeFilter): Layer {
  const before = [...model.linked('*', 'before').uids];
  const after = [...place.networks].flatMap((network) => [...model.linked(network, 'after').uids]);
  const missing = [...place.missing].filter((name) => name.startsWith('network '));
  const implied: Filter = { uid: null, rules: [], byDefault: place.networks.size === 0 ? undefined : place.part.table.firewall[direction] };
  return {
    kind: 'firewall',
    stateless: false,
    missing,
    chain: [...[...before, ...place.networks, ...after].map((uid) => filter(uid, 'next')), implied],
  };
}

/** The policies of a cluster that a pod is behind, all of which are one list; and those of other makers, of which nothing is known. */
function clusterLayers(model: NetworkModel, place: Place, direction: Rule['direction'], filter: MakeFilter): Layer[] {
  const kind = 'network_policy';
  const policies = [...model.linked(place.uid, `${direction}_policy`).uids].sort();
  const foreign = [...place.networks].flatMap((cluster) => [...model.linked(cluster, 'foreign').uids]);
  const filters = policies.map((uid) => filter(uid, 'deny'));
  const isWhole = filters.every(({ byDefault }) => byDefault === 'deny');
  const byDefault = policies.length === 0 ? place.part.table.firewall.none[direction] : isWhole ? 'deny' : undefined;
  const rules = filters.flatMap((one) => one.rules);
  const own: Layer = {
    ...{ kind, stateless: false, missing: [] },
    chain: [{ uid: policies[0] ?? null, rules, byDefault: byDefault === 'unknown' ? undefined : byDefault }],
  };
  const unread: Layer = { kind, stateless: false, missing: foreign, chain: [{ uid: foreign[0] ?? null, rules: [], byDefault: undefined }] };
  return foreign.length > 0 ? [own, unread] : [own];
}

/** The rules that Azure puts at the end of every network security group. */
function withDefaults(filter: Filter, direction: Rule['direction']): Filter {
  const rule = (label: string, action: Rule['action'], name: string, priority: number): Rule => ({
    uid: filter.uid!,
    label,
    direction,
    action,
    protocol: 'any',
    from: 0,
    to: 65_535,
    peers: [{ kind: 'named', name }],
    priority: priority * 2,
  });
  const own =
    direction === 'ingress'
      ? [
          rule('AllowVnetInBound', 'allow', 'VirtualNetwork', 65_000),
          rule('AllowAzureLoadBalancerInBound', 'allow', 'AzureLoadBalancer', 65_001),
        ]
      : [rule('AllowVnetOutBound', 'allow', 'VirtualNetwork', 65_000), rule('AllowInternetOutBound', 'allow', 'Internet', 65_001)];
  return { ...filter, rules: [...filter.rules, ...own] };
}

/** A workload as rules of another see it. @param near whether it is in the same or a peered network */
export function partyOf(place: Place, near: boolean): Party {
  return {
    blocks: place.blocks,
    exact: place.exact,
    members:
      place.perhaps.size === 0
        ? place.members
        : { has: (name) => place.members.has(name) || (place.perhaps.has(name) ? undefined : false) },
    named: (name) => (/^virtualnetwork$/i.test(name) ? near : /^internet$/i.test(name) ? !near : undefined),
  };
}

/** Everybody in a block of public addresses. */
export function publicParty(block: Block): Party {
  return { blocks: [block], exact: true, members: new Set(), named: (name) => /^internet$/i.test(name) };
}
