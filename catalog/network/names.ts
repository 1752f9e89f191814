import { text } from '../cel/read.js';
import { valuesAt } from '../inventory.js';
import type { NetworkAsset, Resolver } from './types.js';

const IDS = ['id', 'arn', 'self_link', 'crn', 'ocid', 'key_id', 'dns_name'] as const;
const ADDRESS = /((?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:[a-z][a-z0-9]*_[a-z0-9_]+)\.[\w-]+(?:\[[^\]]*\])?)$/;
const REFERENCE = /^\$\{\s*((?:[a-z][a-z0-9]*_[a-z0-9_]+)\.[\w-]+(?:\[[^\]]*\])?)(?:\.[\w.[\]*"-]+)?\s*\}$/;

/** What a reference names: resources of the inventory, and texts that name what it does not show. */
export interface Referred {
  uids: readonly string[];
  /** References to what the inventory does not show. */
  missing: readonly string[];
}

/** Finds resources by what configurations call them: uid, id, ARN, link, Terraform address, or name within one type of part. */
export class Names {
  private readonly exact = new Map<string, string | null>();
  private readonly named = new Map<string, string | null>();

  /** @param part what the resource is in a network: names are unique within that */
  add(asset: NetworkAsset, part: string): void {
    const { configuration, resource_uid: uid } = asset;
    note(this.exact, uid.toLowerCase(), uid);
    // what joins an address to something has the id of that address, too
    for (const key of part === 'address' ? [...IDS, 'allocation_id'] : IDS) {
      const id = text(configuration[key]);
      if (id) note(this.exact, id.toLowerCase(), uid);
    }
    const address = ADDRESS.exec(uid)?.[1];
    if (address !== undefined) note(this.exact, address.toLowerCase(), uid);
    for (const name of new Set([text(configuration['name']), asset.resource_name]))
      if (name) note(this.named, `${part}\n${name.toLowerCase()}`, uid);
  }

  /** The resource that a text names, where it is exactly one; `parts` says which kinds a bare name may mean. */
  find(value: string, parts: readonly string[]): string | undefined {
    const word = (REFERENCE.exec(value)?.[1] ?? value).toLowerCase();
    const exact = this.exact.get(word);
    if (exact !== undefined) return exact ?? undefined;
    if (word.includes('${')) return undefined;
    const last = word.split('/').at(-1)!;
    const found = new Set(parts.map((part) => this.named.get(`${part}\n${last}`)).filter((uid) => uid !== undefined));
    return found.size === 1 ? ([...found][0] ?? undefined) : undefined;
  }

  /** What the attributes of a resource refer to; a resolver's edges go before the texts. */
  refer(asset: NetworkAsset, paths: readonly string[], parts: readonly string[], resolver?: Resolver): Referred {
    const uids = new Set<string>();
    const missing = new Set<string>();
    for (const path of paths) {
      const edges = resolver?.(asset.resource_uid, path) ?? [];
      for (const uid of edges) uids.add(uid);
      if (edges.length > 0) continue;
      for (const value of valuesAt(asset.configuration, path.split('.'))) {
        if (typeof value !== 'string' || value === '') continue;
        const uid = this.find(value, parts);
        if (uid === undefined) missing.add(value);
        else uids.add(uid);
      }
      if (isUnknown(asset, path)) missing.add(path);
    }
    return { uids: [...uids], missing: [...missing] };
  }
}

const isUnknown = ({ unknown_paths = [] }: NetworkAsset, path: string): boolean => {
  const plain = path.replaceAll('[]', '');
  return unknown_paths.some((unknown) => unknown.replaceAll(/\[\d*\]|\.\d+(?=\.|$)/g, '') === plain);
};

/** A name that two resources have names neither. */
function note(map: Map<string, string | null>, key: string, uid: string): void {
  const before = map.get(key);
  map.set(key, before === undefined || before === uid ? uid : null);
}
