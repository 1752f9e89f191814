import { compareKeys } from '../bson/key-range.js';
import type { Collection } from '../storage/collection.js';
import type { IndexBTree, KeyRange } from '../storage/index-btree.js';
import type { StoredRecord } from '../storage/record.js';
import type { IndexScan, Plan } from './planner.js';

/** What a query looked at, as explain reports it. */
export interface ScanCounts {
  keysExamined: number;
  docsExamined: number;
}

/** Gives records one by one. Between batches `pause` lets go of places in the tree, which may change meanwhile. */
export interface RecordSource {
  next(): StoredRecord | undefined;
  pause(): void;
}

/** Walks one range of an index, in either direction. */
class RangeWalk {
  #entries: Iterator<[string, StoredRecord]> | undefined;
  #last: string | undefined;
  key = '';

  constructor(
    private readonly index: IndexBTree,
    private readonly range: KeyRange,
    private readonly reverse: boolean,
    private readonly counts: ScanCounts,
  ) {}

  next(): StoredRecord | undefined {
    this.#entries ??= this.#seek();
    for (;;) {
      const step = this.#entries.next();
      if (step.done) return undefined;
      const [key, record] = step.value;
      if (this.reverse ? key < this.range.low : key >= this.range.high) return undefined;
      if (!this.reverse && key === this.#last) continue;
      this.counts.keysExamined++;
      this.#last = key;
      this.key = key;
      return record;
    }
  }

  #seek(): Iterator<[string, StoredRecord]> {
    const tree = this.index.tree;
    const reused: (string | StoredRecord)[] = [];
    if (this.reverse) return tree.entriesReversed(this.#last ?? this.range.high, reused, true);
    return tree.entries(this.#last ?? this.range.low, reused);
  }

  pause(): void {
    this.#entries = undefined;
  }
}

/** Walks the ranges of an index one after another. */
class IndexSource implements RecordSource {
  readonly #walks: RangeWalk[];
  readonly #seen: Set<StoredRecord> | undefined;
  #at = 0;

  constructor(scan: IndexScan, counts: ScanCounts) {
    const ranges = scan.reverse ? [...scan.ranges].reverse() : scan.ranges;
    this.#walks = ranges.map((range) => new RangeWalk(scan.index, range, scan.reverse, counts));
    this.#seen = scan.index.multikey ? new Set() : undefined;
  }

  next(): StoredRecord | undefined {
    while (this.#at < this.#walks.length) {
      const record = this.#walks[this.#at]!.next();
      if (!record) this.#at++;
      else if (!this.#seen) return record;
      else if (!this.#seen.has(record)) {
        this.#seen.add(record);
        return record;
      }
    }
    return undefined;
  }

  pause(): void {
    for (const walk of this.#walks) walk.pause();
  }
}

interface MergeHead {
  readonly walk: RangeWalk;
  readonly prefix: number;
  rest: string;
  record: StoredRecord | undefined;
}

/** Walks several ranges of an index at once, in the order of what follows their prefixes. */
class MergedSource implements RecordSource {
  readonly #heads: MergeHead[];
  readonly #seen = new Set<StoredRecord>();

  constructor(
    private readonly scan: IndexScan,
    counts: ScanCounts,
  ) {
    this.#heads = scan.ranges.map((range, i) => ({
      walk: new RangeWalk(scan.index, range, scan.reverse, counts),
      prefix: scan.prefixes[i]!,
      rest: '',
      record: undefined,
    }));
    for (const head of this.#heads) this.#advance(head);
  }

  #advance(head: MergeHead): void {
    head.record = head.walk.next();
    if (head.record) head.rest = head.walk.key.slice(head.prefix);
  }

  next(): StoredRecord | undefined {
    for (;;) {
      let best: MergeHead | undefined;
      for (const head of this.#heads) {
        if (!head.record) continue;
        const order = best ? compareKeys(head.rest, best.rest) : -1;
        if (!best || (this.scan.reverse ? order > 0 : order < 0)) best = head;
      }
      const record = best?.record;
      if (!best || !record) return undefined;
      this.#advance(best);
      if (!this.scan.index.multikey) return record;
      if (this.#seen.has(record)) continue;
      this.#seen.add(record);
      return record;
    }
  }

  pause(): void {
    for (const head of this.#heads) head.walk.pause();
  }
}

/** Gives the records of a plan, in the plan's order. */
export function openSource(collection: Collection, plan: Plan, counts: ScanCounts): RecordSource {
  switch (plan.kind) {
    case 'index':
      return plan.merged ? new MergedSource(plan, counts) : new IndexSource(plan, counts);
    case 'ids':
      return fromIterator(collection, plan.ids.values(), counts);
    case 'or':
      return orSource(plan.branches.map((branch) => openSource(collection, branch, counts)));
    case 'collection':
      return fromRecords(collection.records.values());
  }
}

function fromIterator(collection: Collection, ids: Iterator<string>, counts: ScanCounts): RecordSource {
  return {
    next(): StoredRecord | undefined {
      for (let step = ids.next(); !step.done; step = ids.next()) {
        const record = collection.records.get(step.value);
        if (!record) continue;
        counts.keysExamined++;
        return record;
      }
      return undefined;
    },
    pause: () => undefined,
  };
}

/** A Map's iterator goes on through changes to the Map, so there is nothing to let go of. */
function fromRecords(records: Iterator<StoredRecord>): RecordSource {
  return {
    next(): StoredRecord | undefined {
      const step = records.next();
      return step.done ? undefined : step.value;
    },
    pause: () => undefined,
  };
}

function orSource(branches: readonly RecordSource[]): RecordSource {
  const seen = new Set<StoredRecord>();
  let at = 0;
  return {
    next(): StoredRecord | undefined {
      while (at < branches.length) {
        const record = branches[at]!.next();
        if (!record) at++;
        else if (!seen.has(record)) {
          seen.add(record);
          return record;
        }
      }
      return undefined;
    },
    pause(): void {
      for (const branch of branches) branch.pause();
    },
  };
}
