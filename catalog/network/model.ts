import { leavesOpen } from '../../schema/unknown-paths.js';
import { flag, text } from '../cel/read.js';
import { valuesAt } from '../inventory.js';
import { parseBlocks, type Block } from './address.js';
import { Names, type Resolver } from '../names.js';
import { joinClusters } from './clusters/join.js';
import { isOfCluster } from './clusters/objects.js';
import { isManifest, manifestConfiguration } from '../manifest.js';
import { readRules } from './rules.js';
import type { Part } from './part.js';
import { networkTables, type PartReading, type ProviderTable } from './table.js';
import type { Rule } from './types.js';
import type { InventoryResource } from '../resource.js';

/** What a role of a resource leads to. */
export interface Links {
  uids: ReadonlySet<string>;
  missing: ReadonlySet<string>;
}

export interface Route {
  uid: string;
  blocks: readonly Block[];
  via: readonly string[];
  hop: string | undefined;
}

/** Kinds of part that a ref of each role may name by a bare name. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  network: ['network'],
  peer: ['network'],
  subnet: ['subnet'],
  subnet_group: ['member'],
  firewall: ['firewall'],
  acl: ['acl'],
  route_table: ['route_table'],
  interface: ['interface'],
  address: ['address'],
  gateway: ['gateway'],
  group: ['group'],
  balancer: ['balancer'],
  workload: ['workload', 'interface'],
  of: ['firewall', 'acl', 'network', 'route_table', 'endpoint'],
  from: ['network', 'subnet', 'workload', 'interface'],
  to: ['firewall', 'acl', 'route_table', 'interface', 'member', 'address'],
};

const readings = new Map<string, { how: PartReading; table: ProviderTable }>();

function readingOf(type: string): { how: PartReading; table: ProviderTable } | undefined {
  if (readings.size === 0) {
    for (const table of networkTables()) for (const how of table.parts) for (const name of how.type) readings.set(name, { how, table });
  }
  return readings.get(type);
}

/** The resource types that the model reads. */
export const networkTypes = (): readonly string[] => {
  readingOf('');
  return [...readings.keys()];
};

/** The networks of a tenant's accounts, read once; answers do not depend on the order of the assets. */
export class NetworkModel {
  readonly parts = new Map<string, Part>();
  private readonly byKind = new Map<PartReading['part'], Part[]>();
  private readonly names = new Names();
  private readonly links = new Map<string, Map<string, { uids: Set<string>; missing: Set<string> }>>();
  private readonly rules = new Map<string, Rule[]>();
  private readonly routes = new Map<string, Route[]>();
  /** Filters whose rules the source does not know yet. */
  private readonly open = new Set<string>();

  /** @param resolver edges that the inventory has resolved already */
  constructor(
    assets: Iterable<InventoryResource>,
    private readonly resolver?: Resolver,
  ) {
    const sorted = [...assets].sort((a, b) => (a.resource_uid < b.resource_uid ? -1 : a.resource_uid > b.resource_uid ? 1 : 0));
    for (const told of sorted) {
      const asset = isManifest(told) ? { ...told, configuration: manifestConfiguration(told.configuration) } : told;
      const reading = readingOf(asset.resource_type);
      if (reading === undefined) continue;
      this.parts.set(asset.resource_uid, { asset, ...reading });
      // what joins an address to something has the id of that address, too
      this.names.add(asset, reading.how.part, reading.how.part === 'address' ? { ids: ['allocation_id'] } : {});
    }
    for (const part of this.parts.values()) {
      const kind = this.byKind.get(part.how.part);
      if (kind === undefined) this.byKind.set(part.how.part, [part]);
      else kind.push(part);
      this.connect(part);
    }
    const clusters = [...this.parts.values()].filter(({ asset }) => isOfCluster(asset));
    if (clusters.length > 0)
      joinClusters(clusters, {
        link: (from, role, to, missing = []) => this.link(from, role, to, missing),
        rules: (filter, rules) => this.rules.set(filter, [...(this.rules.get(filter) ?? []), ...rules]),
      });
    for (const rules of this.rules.values()) rules.sort((a, b) => a.priority - b.priority);
  }

  /** What a resource's role leads to, by its own attributes and by resources that attach something to it. */
  linked(uid: string, role: string): Links {
    return this.links.get(uid)?.get(role) ?? { uids: new Set(), missing: new Set() };
  }

  rulesOf(filter: string): readonly Rule[] {
    return this.rules.get(filter) ?? [];
  }

  /** Whether all rules of a filter are known. */
  isWhole(filter: string): boolean {
    return this.parts.has(filter) && !this.open.has(filter);
  }

  *allRules(): Generator<Rule> {
    for (const rules of this.rules.values()) yield* rules;
  }

  *allRoutes(): Generator<Route> {
    for (const routes of this.routes.values()) yield* routes;
  }

  routesOf(table: string): readonly Route[] {
    return this.routes.get(table) ?? [];
  }

  /** Values of the attributes that a table names for a purpose. */
  texts(uid: string, purpose: string): unknown[] {
    const part = this.parts.get(uid);
    return (part?.how.texts[purpose] ?? []).flatMap((path) => valuesAt(part!.asset.configuration, path.split('.')));
  }

  blocks(uid: string, purpose: string): Block[] {
    return this.texts(uid, purpose).flatMap((value) => parseBlocks(text(value) ?? ''));
  }

  flagOf(uid: string, purpose: string): boolean | undefined {
    return this.texts(uid, purpose)
      .map(flag)
      .find((value) => value !== undefined);
  }

  ofPart(...kinds: readonly PartReading['part'][]): Part[] {
    return kinds.flatMap((kind) => this.byKind.get(kind) ?? []);
  }

  private connect({ asset, how }: Part): void {
    const uid = asset.resource_uid;
    const found = new Map(
      Object.entries(how.refs).map(([role, paths]) => [role, this.names.refer(asset, paths, NAMED[role] ?? [], this.resolver)]),
    );
    for (const [role, { uids, missing }] of found) {
      if (how.part !== 'link') this.link(uid, role, uids, missing);
      const given = how.gives[role];
      if (given !== undefined) for (const other of uids) this.link(other, given, [uid], []);
    }
    const of = found.get('of');
    // what cannot be told apart by its reference belongs to the filter of that name
    const owners = how.part === 'rule' || how.part === 'route' ? (of?.uids ?? []) : [uid];
    for (const owner of owners) this.fill(owner, asset, how);
    if (how.link) {
      const [from, to] = [found.get(how.link.from), found.get(how.link.to)];
      const receivers = how.link.from === '*' ? ['*'] : (from?.uids ?? []);
      for (const receiver of receivers) this.link(receiver, how.link.role, to?.uids ?? [], to?.missing ?? []);
    }
  }

  private fill(owner: string, asset: InventoryResource, how: PartReading): void {
    const group = (value: string): string | undefined => this.names.find(value, ['firewall', 'member']);
    if (how.rules.length > 0) {
      const list = this.rules.get(owner) ?? [];
      for (const rule of readRules(asset.resource_uid, owner, asset.configuration, how.rules, group)) list.push(rule);
      this.rules.set(owner, list);
      const heads = how.rules.flatMap(({ each }) => (each === undefined || each.startsWith('^') ? [] : [each]));
      if (heads.some((path) => leavesOpen(asset, path))) this.open.add(owner);
    }
    for (const { each, blocks, via, hop } of how.routes) {
      const entries =
        each === undefined
          ? [asset.configuration]
          : valuesAt(asset.configuration, each.split('.')).filter((entry) => typeof entry === 'object');
      const list = this.routes.get(owner) ?? [];
      for (const entry of entries) {
        const read = (paths: readonly string[]): string[] =>
          paths
            .flatMap((path) => valuesAt(entry, path.split('.')))
            .filter((value) => typeof value === 'string' && value !== '') as string[];
        list.push({
          uid: asset.resource_uid,
          blocks: read(blocks).flatMap(parseBlocks),
          via: read(via).map((value) => this.names.find(value, ['gateway', 'peering']) ?? value),
          hop: read(hop)[0],
        });
      }
      this.routes.set(owner, list);
    }
  }

  private link(from: string, role: string, uids: Iterable<string>, missing: Iterable<string>): void {
    const roles = this.links.get(from) ?? new Map<string, { uids: Set<string>; missing: Set<string> }>();
    this.links.set(from, roles);
    const links = roles.get(role) ?? { uids: new Set(), missing: new Set() };
    roles.set(role, links);
    for (const uid of uids) links.uids.add(uid);
    for (const name of missing) links.missing.add(name);
  }
}
