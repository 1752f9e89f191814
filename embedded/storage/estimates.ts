import type { Database, View } from './database.js';
import type { Index, KeyRange } from './index.js';
import { countUpTo } from './walk.js';

/** Commits after which a number is counted again. */
const FRESH = 64;
const MOST_KEPT = 2000;

/** How many keys lie in ranges of indexes, as far as a choice between plans asks; no answer depends on it. */
export class Estimates {
  readonly #kept = new Map<string, { readonly count: number; readonly version: number }>();

  constructor(private readonly database: Database) {}

  /** The number of keys in some ranges of an index, counted no further than `most`. */
  async keysOf(view: View, { index, ranges }: { index: Index; ranges: readonly KeyRange[] }, most: number): Promise<number> {
    let sum = 0;
    for (const range of ranges) {
      if (sum >= most) break;
      sum += await this.#count(view, index, range, most);
    }
    return Math.min(sum, most);
  }

  async #count(view: View, index: Index, { low, high }: KeyRange, most: number): Promise<number> {
    const key = `${most}|${index.prefix}${low}|${high}`;
    const known = this.#kept.get(key);
    if (known && view.version - known.version <= FRESH) return known.count;
    const count = await countUpTo(this.database, view, { gte: index.prefix + low, lt: index.prefix + high }, most);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(key, { count, version: view.version });
    return count;
  }
}
