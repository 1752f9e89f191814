import type { AddressReference } from './address.js';
import { declaredAddress, inModule, parseAddress } from './address.js';
import type { EdgeInput } from '../types.js';

interface Known {
  module: string;
  index: string;
  uid: string;
}

/** A reference to this many instances names the kind rather than each: the rest is left out. */
const MAX_TARGETS = 100;

/** Collects addresses and what they refer to while a report is read; the edges come once every address is known. */
export class TerraformEdges {
  private readonly byDeclared = new Map<string, Known[]>();
  private readonly pending: { from: Known; references: readonly AddressReference[] }[] = [];
  private readonly taken = new Map<string, number>();

  /**
   * Takes an asset and what it refers to, from the root or else in its own module, with or without instance keys. Returns
   * the asset's uid, which is made distinct from that of another asset in the report: a policy often carries the id of what it is on.
   */
  claim(address: string, asset: { resource_uid: string; resource_type: string }, references: readonly AddressReference[]): string {
    const uid = this.distinct(asset.resource_uid, asset.resource_type);
    const parsed = parseAddress(address);
    const known = { module: parsed?.module ?? '', index: parsed?.index ?? '', uid };
    const declared = declaredAddress(address);
    const instances = this.byDeclared.get(declared);
    if (instances === undefined) this.byDeclared.set(declared, [known]);
    else instances.push(known);
    if (references.length > 0) this.pending.push({ from: known, references });
    return uid;
  }

  private distinct(uid: string, type: string): string {
    const times = this.taken.get(uid) ?? 0;
    this.taken.set(uid, times + 1);
    if (times === 0) return uid;
    const suffix = `#${type}`;
    return uid.endsWith(suffix) ? `${uid}:${times + 1}` : this.distinct(uid + suffix, type);
  }

  /** The edges, each once for each attribute that tells it. What is referred to and not in the report gives none. */
  *edges(): Generator<EdgeInput> {
    for (const { from, references } of this.pending) {
      const told = new Map<string, Set<string | undefined>>([[from.uid, new Set([undefined])]]);
      // what no attribute tells is left out where one does
      for (const { name, via } of [...references].sort((one, other) => Number(!one.via) - Number(!other.via))) {
        for (const { uid } of this.targets(from, name)) {
          const vias = told.get(uid) ?? new Set();
          told.set(uid, vias);
          if (uid === from.uid || vias.has(via) || (via === undefined && vias.size > 0)) continue;
          vias.add(via);
          yield { from: from.uid, to: uid, kind: 'refers_to', ...(via !== undefined && { via }) };
        }
      }
    }
  }

  private targets(from: Known, name: string): Known[] {
    const parsed = parseAddress(name);
    if (parsed === undefined) return [];
    const declared = declaredAddress(inModule(parsed.module, parsed.resource));
    const found = this.byDeclared.get(declared) ?? this.byDeclared.get(declaredAddress(inModule(from.module, declared))) ?? [];
    const indexed = parsed.index === '' || parsed.index === '[*]' ? found : found.filter(({ index }) => index === parsed.index);
    // A module that is made several times refers to its own instance.
    const near = indexed.filter(({ module }) => module === from.module);
    return (near.length > 0 ? near : indexed).slice(0, MAX_TARGETS);
  }
}
