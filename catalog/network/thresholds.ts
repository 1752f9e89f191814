import { parseBlocks, type Block } from './address.js';
import type { NetworkModel } from './model.js';

type Limits = readonly bigint[];

/** The addresses at which some rule or route of an estate begins to say something else: between two of them all addresses are alike. */
export class Thresholds {
  private readonly limits: Readonly<Record<4 | 6, Limits>>;

  constructor(model: NetworkModel) {
    const found = { 4: new Set<bigint>(), 6: new Set<bigint>() };
    const note = ({ version, first, last }: Block): void => void found[version].add(first).add(last + 1n);
    for (const { peers } of model.allRules()) for (const peer of peers) if (peer.kind === 'block') parseBlocks(peer.block).forEach(note);
    for (const { blocks } of model.allRoutes()) blocks.forEach(note);
    const sorted = (version: 4 | 6) => [...found[version]].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
    this.limits = { 4: sorted(4), 6: sorted(6) };
  }

  /** What blocks that no rule tells apart have in common. */
  of({ version, first, last }: Block): string {
    return `${version}:${this.below(version, first)}-${this.below(version, last)}`;
  }

  /** How many limits are at or below an address. */
  private below(version: 4 | 6, address: bigint): number {
    const limits = this.limits[version];
    let [low, high] = [0, limits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (limits[middle]! <= address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
