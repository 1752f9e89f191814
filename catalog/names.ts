import { text } from './cel/read.js';
import { valuesAt } from './inventory.js';
import type { InventoryResource } from './resource.js';

const IDS = ['id', 'arn', 'self_link', 'crn', 'ocid', 'key_id', 'dns_name'] as const;
const ADDRESS = /((?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:[a-z][a-z0-9]*_[a-z0-9_]+)\.[\w-]+(?:\[[^\]]*\])?)$/;
const REFERENCE = /^\$\{\s*((?:[a-z][a-z0-9]*_[a-z0-9_]+)\.[\w-]+(?:\[[^\]]*\])?)(?:\.[\w.[\]*"-]+)?\s*\}$/;

/** Edges that the inventory has resolved: the uids that an attribute of a resource refers to. */
export type Resolver = (from: string, attributePath: string) => readonly string[];

/** What a reference names: resources of the inventory, and texts that name what it does not show. */
export interface Referred {
  uids: readonly string[];
  /** References to what the inventory does not show. */
  missing: readonly string[];
}

/** Finds resources by what configurations call them: uid, id, ARN, link, Terraform address, or name within one kind of resource. */
export class Names {
  private readonly exact = new Map<string, string | null>();
  private readonly named = new Map<string, string | null>();

  /**
   * @param kind what the resource is: names are unique within that, and within its account
   * @param own attributes that name it beside the usual ones: in all the world, and within its kind
   */
  add(asset: InventoryResource, kind: string, own: { ids?: readonly string[]; names?: readonly string[] } = {}): void {
    const { configuration, resource_uid: uid, account_id } = asset;
    note(this.exact, uid.toLowerCase(), uid);
    for (const key of [...IDS, ...(own.ids ?? [])]) {
      const id = text(configuration[key]);
      if (id) note(this.exact, id.toLowerCase(), uid);
    }
    const address = ADDRESS.exec(uid)?.[1];
    if (address !== undefined) note(this.exact, address.toLowerCase(), uid);
    for (const name of new Set([...['name', ...(own.names ?? [])].map((key) => text(configuration[key])), asset.resource_name])) {
      if (!name) continue;
      note(this.named, `${kind}\n${name.toLowerCase()}`, uid);
      if (account_id !== undefined) note(this.named, `${kind}\n${account_id}\n${name.toLowerCase()}`, uid);
    }
  }

  /**
   * The resource that a text names, where it is exactly one.
   * @param kinds which kinds a bare name may mean
   * @param account whose resources a bare name means first
   */
  find(value: string, kinds: readonly string[], account?: string): string | undefined {
    const word = (REFERENCE.exec(value)?.[1] ?? value).toLowerCase();
    const exact = this.exact.get(word);
    if (exact !== undefined) return exact ?? undefined;
    if (word.includes('${')) return undefined;
    const last = word.split('/').at(-1)!;
    const own = account === undefined ? [] : kinds.map((kind) => this.named.get(`${kind}\n${account}\n${last}`));
    const found = new Set(own.filter((uid) => uid !== undefined));
    if (found.size === 0) for (const uid of kinds.map((kind) => this.named.get(`${kind}\n${last}`))) if (uid !== undefined) found.add(uid);
    return found.size === 1 ? ([...found][0] ?? undefined) : undefined;
  }

  /** What the attributes of a resource refer to; a resolver's edges go before the texts. */
  refer(asset: InventoryResource, paths: readonly string[], kinds: readonly string[], resolver?: Resolver): Referred {
    const uids = new Set<string>();
    const missing = new Set<string>();
    for (const path of paths) {
      const edges = resolver?.(asset.resource_uid, path) ?? [];
      for (const uid of edges) uids.add(uid);
      if (edges.length > 0) continue;
      for (const value of valuesAt(asset.configuration, path.split('.'))) {
        if (typeof value !== 'string' || value === '') continue;
        const uid = this.find(value, kinds, asset.account_id);
        if (uid === undefined) missing.add(value);
        else uids.add(uid);
      }
      if (isUnknown(asset, path)) missing.add(path);
    }
    return { uids: [...uids], missing: [...missing] };
  }
}

/** Whether the source does not know an attribute yet. */
export const isUnknown = ({ unknown_paths = [] }: InventoryResource, path: string): boolean => {
  const plain = path.replaceAll('[]', '');
  return unknown_paths.some((unknown) => unknown.replaceAll(/\[\d*\]|\.\d+(?=\.|$)/g, '') === plain);
};

/** A name that two resources have names neither. */
function note(map: Map<string, string | null>, key: string, uid: string): void {
  const before = map.get(key);
  map.set(key, before === undefined || before === uid ? uid : null);
}
