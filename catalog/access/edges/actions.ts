import { matchesPattern } from '../../cel/policy.js';
import type { Patterns } from '../types.js';

/** Tells which of some known actions patterns hold for sure; each list of patterns is read once. */
export class ActionIndex {
  private readonly sorted: readonly (readonly [lower: string, action: string])[];
  private readonly read = new Map<string, ReadonlySet<string>>();
  private readonly of = new WeakMap<Patterns, ReadonlySet<string>>();

  constructor(actions: Iterable<string>) {
    this.sorted = [...new Set(actions)]
      .map((action) => [action.toLowerCase(), action] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }

  heldBy(patterns: Patterns): ReadonlySet<string> {
    const known = this.of.get(patterns);
    if (known !== undefined) return known;
    const key = JSON.stringify([patterns.include, patterns.exclude]);
    const held = this.read.get(key) ?? this.find(patterns);
    this.read.set(key, held);
    this.of.set(patterns, held);
    return held;
  }

  private find({ include, exclude }: Patterns): ReadonlySet<string> {
    if (exclude.includes(null)) return new Set();
    const held = new Set<string>();
    for (const pattern of include) if (pattern !== null) for (const action of this.matching(pattern)) held.add(action);
    for (const pattern of exclude) for (const action of this.matching(pattern!)) held.delete(action);
    return held;
  }

  private *matching(pattern: string): Generator<string> {
    const prefix = /^[^*?]*/.exec(pattern)![0].toLowerCase();
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle]![0] < prefix) low = middle + 1;
      else high = middle;
    }
    for (; low < this.sorted.length && this.sorted[low]![0].startsWith(prefix); low += 1)
      if (matchesPattern(pattern, this.sorted[low]![1])) yield this.sorted[low]![1];
  }
}
