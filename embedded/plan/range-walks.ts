import { compareKeys } from '../bson/key-range.js';
import type { Collection } from '../storage/collection.js';
import type { View } from '../storage/database.js';
import type { Index, KeyRange } from '../storage/index.js';
import { PREFIX_SIZE } from '../storage/key-space.js';
import { PENDING, Walk } from '../storage/walk.js';
import type { IndexScan } from './plan.js';

/** What a query looked at, as explain reports it. */
export interface ScanCounts {
  keysExamined: number;
  docsExamined: number;
}

/** Where a plan looks: the state that it reads, and how many rows are likely to be asked for. */
export interface ScanContext {
  readonly collection: Collection;
  readonly view: View;
  readonly counts: ScanCounts;
  readonly expected: number | undefined;
}

/** The range of the database that a range of an index is. */
function spanOf(index: Index, { low, high }: KeyRange, reverse: boolean): { gte: string; lt: string; reverse: boolean } {
  return { gte: index.prefix + low, lt: index.prefix + high, reverse };
}

/** Walks one range of an index. */
export class RangeWalk {
  readonly #walk: Walk;
  key = '';

  constructor(
    private readonly scan: IndexScan,
    private readonly range: number,
    private readonly context: ScanContext,
  ) {
    const { collection, view, expected } = context;
    const { index, ranges, reverse } = scan;
    this.#walk = new Walk(collection.database, view, spanOf(index, ranges[range]!, reverse), index.unique, expected);
  }

  /** The next record number. */
  next(): number | undefined | typeof PENDING {
    const { index, test, prefixes } = this.scan;
    for (;;) {
      const entry = this.#walk.next();
      if (entry === undefined || entry === PENDING) return entry;
      this.context.counts.keysExamined++;
      if (test && !test.holds(entry.key, PREFIX_SIZE + prefixes[this.range]!)) continue;
      this.key = entry.key;
      return index.numberOf(entry.key, entry.value);
    }
  }

  load(): Promise<void> {
    return this.#walk.load();
  }

  close(): Promise<void> {
    return this.#walk.close();
  }
}

/**
 * Walks the ranges of an index one after another, in the order of their keys: one reading of all of them, which passes over what lies between. Of many values
 * that are asked for, those that nothing has cost no look of their own.
 */
export class RangesWalk {
  readonly #walk: Walk;
  /** The ranges in the direction of the walk, each with the length of its prefix. */
  readonly #ranges: readonly { readonly low: string; readonly high: string; readonly prefix: number }[];
  #at = 0;

  constructor(
    private readonly scan: IndexScan,
    private readonly context: ScanContext,
  ) {
    const { index, reverse } = scan;
    const ranges = scan.ranges.map(({ low, high }, n) => ({
      low: index.prefix + low,
      high: index.prefix + high,
      prefix: PREFIX_SIZE + scan.prefixes[n]!,
    }));
    ranges.sort((one, other) => compareKeys(one.low, other.low));
    const span = { gte: ranges[0]?.low ?? '', lt: ranges.at(-1)?.high ?? '', reverse };
    this.#ranges = reverse ? ranges.reverse() : ranges;
    this.#walk = new Walk(context.collection.database, context.view, span, index.unique, context.expected);
  }

  /** The next record number. */
  next(): number | undefined | typeof PENDING {
    const { index, test, reverse } = this.scan;
    for (;;) {
      const entry = this.#walk.next();
      if (entry === undefined || entry === PENDING) return entry;
      const { key } = entry;
      let range = this.#ranges[this.#at];
      while (range && (reverse ? key < range.low : key >= range.high)) range = this.#ranges[++this.#at];
      if (!range) return undefined;
      if (reverse ? key >= range.high : key < range.low) {
        this.#walk.skipTo(reverse ? range.high : range.low);
        continue;
      }
      this.context.counts.keysExamined++;
      if (!test || test.holds(key, range.prefix)) return index.numberOf(key, entry.value);
    }
  }

  load(): Promise<void> {
    return this.#walk.load();
  }

  close(): Promise<void> {
    return this.#walk.close();
  }
}
