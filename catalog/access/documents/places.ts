import { overlap } from '../pattern.js';
import type { Place } from '../place.js';
import type { DocumentEstate } from './estate.js';

/** Resources that one pattern names; a pattern that means more is a scope. */
const MOST_NAMED = 16;
/** Names that are looked at for one pattern. */
const MOST_SEEN = 1_000;

/** Services whose names begin with the resource, and not with its kind. */
const NAMED_FIRST = /^(?:s3|oss|sns|sqs)$/;

interface Named {
  readonly key: string;
  readonly name: string;
  readonly uid: string;
}

/** Finds the resources that patterns of policies name: names by service and account, in the order of what stands behind. */
export class ResourcePlaces {
  private readonly names = new Map<string, Named[]>();

  constructor(estate: DocumentEstate, types: ReadonlySet<string>) {
    for (const asset of estate.assets.values()) {
      if (!types.has(asset.resource_type)) continue;
      for (const name of estate.namesOf(asset)) {
        const { group, rest } = parted(name);
        const list = this.names.get(group);
        const named = { key: rest.toLowerCase(), name, uid: asset.resource_uid };
        if (list === undefined) this.names.set(group, [named]);
        else list.push(named);
      }
    }
    for (const list of this.names.values()) list.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.uid < b.uid ? -1 : 1));
  }

  /** What a pattern is in the account of who holds it; undefined where it names nothing of the inventory. */
  of(pattern: string, own: string): Place | undefined {
    if (pattern === '*') return { within: [own], pattern: null, whole: true };
    const { group, account, rest } = parted(pattern);
    const within = [account === '' || /[*?]/.test(account) ? own : account];
    const broad: Place = { within, pattern, whole: false };
    const [service = ''] = group.split('\n');
    if (/[*?]/.test(service) || /^[*?]/.test(rest) || (!NAMED_FIRST.test(service) && /^[a-z-]+[/:]\*$/.test(rest))) return broad;
    // what lies in a resource is named behind it
    for (const part of new Set([rest, rest.replace(/[/:]\*$/, ''), /^[^/]*/.exec(rest)![0]])) {
      const found = this.search(group, within[0]!, part, pattern);
      if (found === undefined || found.size > MOST_NAMED) return broad;
      if (found.size > 0) return { named: [...found].sort() };
    }
    return undefined;
  }

  /** @returns undefined for too many */
  private search(group: string, account: string, rest: string, pattern: string): Set<string> | undefined {
    const [service = ''] = group.split('\n');
    const list = this.names.get(`${service}\n${group.endsWith('\n') ? '' : account}`) ?? [];
    const prefix = /^[^*?]*/.exec(rest)![0].toLowerCase();
    const found = new Set<string>();
    let at = lowerBound(list, prefix);
    for (let seen = 0; at < list.length && list[at]!.key.startsWith(prefix); at += 1, seen += 1) {
      if (seen >= MOST_SEEN) return undefined;
      const { name, uid } = list[at]!;
      if (overlap(pattern, name) || overlap(pattern, `${name}/*`) || overlap(pattern, `${name}:*`)) found.add(uid);
    }
    return found;
  }
}

/** The parts of a name: its service, its account and what stands behind; a uid that is no such name is one whole. */
function parted(name: string): { group: string; account: string; rest: string } {
  const parts = name.split(':');
  if (parts[0] === 'arn' && parts.length >= 6)
    return { group: `${parts[2]!.toLowerCase()}\n${parts[4]!}`, account: parts[4]!, rest: parts.slice(5).join(':') };
  if (parts[0] === 'acs' && parts.length >= 5)
    return { group: `${parts[1]!.toLowerCase()}\n${parts[3]!}`, account: parts[3]!, rest: parts.slice(4).join(':') };
  return { group: '\n', account: '', rest: name };
}

function lowerBound(list: readonly Named[], key: string): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
