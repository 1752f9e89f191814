import { compareKeys } from '../bson/key-range.js';
import type { Row } from '../storage/collection.js';
import { numberAtEnd, PREFIX_SIZE } from '../storage/key-space.js';
import { rowOf } from '../storage/values.js';
import { PENDING, Walk } from '../storage/walk.js';
import { RangesWalk, RangeWalk, type ScanContext } from './range-walks.js';
import type { IndexScan, Plan } from './plan.js';

/** Gives rows one by one; PENDING when `load` must read more first. */
export interface RowSource {
  /** @param fetched false for a row that is only passed over: its bytes may be left out */
  next(fetched?: boolean): Row | undefined | typeof PENDING;
  load(): Promise<void>;
  close(): Promise<void>;
}

const NO_BYTES = Buffer.alloc(0);

/** The row of an entry. */
function fetch({ collection, view }: ScanContext, number: number, fetched = true): Row | undefined {
  if (!fetched) return { number, bytes: NO_BYTES };
  const bytes = collection.bytesOf(view, number);
  return bytes && { number, bytes };
}

/** The rows of the ranges of an index, one range after another. */
class IndexSource implements RowSource {
  readonly #walk: RangesWalk;
  readonly #seen: Set<number> | undefined;

  constructor(
    scan: IndexScan,
    private readonly context: ScanContext,
  ) {
    this.#walk = new RangesWalk(scan, context);
    this.#seen = scan.index.multikey ? new Set() : undefined;
  }

  next(fetched?: boolean): Row | undefined | typeof PENDING {
    for (;;) {
      const number = this.#walk.next();
      if (number === undefined || number === PENDING) return number;
      if (this.#seen?.has(number)) continue;
      this.#seen?.add(number);
      const row = fetch(this.context, number, fetched);
      if (row) return row;
    }
  }

  load(): Promise<void> {
    return this.#walk.load();
  }

  close(): Promise<void> {
    return this.#walk.close();
  }
}

interface MergeHead {
  readonly walk: RangeWalk;
  readonly prefix: number;
  /** What follows the prefix of the next entry. */
  rest: string;
  number: number | undefined | typeof PENDING;
}

/** Walks several ranges of an index at once, in the order of what follows their prefixes. */
class MergedSource implements RowSource {
  readonly #heads: MergeHead[];
  readonly #seen = new Set<number>();

  constructor(
    private readonly scan: IndexScan,
    private readonly context: ScanContext,
  ) {
    this.#heads = scan.ranges.map((_, i) => ({
      walk: new RangeWalk(scan, i, context),
      prefix: PREFIX_SIZE + scan.prefixes[i]!,
      rest: '',
      number: PENDING,
    }));
  }

  #advance(head: MergeHead): void {
    head.number = head.walk.next();
    if (typeof head.number === 'number') head.rest = head.walk.key.slice(head.prefix);
  }

  next(fetched?: boolean): Row | undefined | typeof PENDING {
    for (;;) {
      let best: MergeHead | undefined;
      for (const head of this.#heads) {
        if (head.number === PENDING) this.#advance(head);
        if (head.number === PENDING) return PENDING;
        if (head.number === undefined) continue;
        const order = best ? compareKeys(head.rest, best.rest) : -1;
        if (!best || (this.scan.reverse ? order > 0 : order < 0)) best = head;
      }
      if (!best) return undefined;
      const number = best.number as number;
      this.#advance(best);
      if (this.scan.index.multikey) {
        if (this.#seen.has(number)) continue;
        this.#seen.add(number);
      }
      const row = fetch(this.context, number, fetched);
      if (row) return row;
    }
  }

  async load(): Promise<void> {
    await Promise.all(this.#heads.filter((head) => head.number === PENDING).map((head) => head.walk.load()));
  }

  async close(): Promise<void> {
    for (const head of this.#heads) await head.walk.close();
  }
}

/** Gives the rows of a plan, in the plan's order. */
export function openSource(plan: Plan, context: ScanContext): RowSource {
  switch (plan.kind) {
    case 'index':
      return plan.merged ? new MergedSource(plan, context) : new IndexSource(plan, context);
    case 'ids':
      return pointSource(plan.ids.values(), (id) => context.collection.numberOf(context.view, id), context);
    case 'point':
      return pointSource([plan.key].values(), (key) => context.collection.database.point(context.view, plan.index.prefix + key), context);
    case 'or':
      return new OrSource(plan.branches.map((branch) => openSource(branch, context)));
    case 'collection':
      return new CollectionSource(context);
  }
}

/** Rows under keys of a unique index. */
function pointSource(keys: Iterator<string>, numberOf: (key: string) => number | undefined, context: ScanContext): RowSource {
  return {
    next(): Row | undefined {
      for (let step = keys.next(); !step.done; step = keys.next()) {
        const number = numberOf(step.value);
        const row = number === undefined ? undefined : fetch(context, number);
        if (!row) continue;
        context.counts.keysExamined++;
        return row;
      }
      return undefined;
    },
    load: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** All rows, in the order of insertion. */
class CollectionSource implements RowSource {
  readonly #walk: Walk;

  constructor({ collection, view, expected }: ScanContext) {
    const gte = collection.rowPrefix;
    this.#walk = new Walk(collection.database, view, { gte, lt: `${gte}\u0100` }, true, expected);
  }

  next(): Row | undefined | typeof PENDING {
    const entry = this.#walk.next();
    if (entry === undefined || entry === PENDING) return entry;
    return { number: numberAtEnd(entry.key), bytes: rowOf(entry.key, entry.value!) };
  }

  load(): Promise<void> {
    return this.#walk.load();
  }

  close(): Promise<void> {
    return this.#walk.close();
  }
}

/** The rows of several sources, each row once. */
class OrSource implements RowSource {
  readonly #seen = new Set<number>();
  #at = 0;

  constructor(private readonly branches: readonly RowSource[]) {}

  next(): Row | undefined | typeof PENDING {
    while (this.#at < this.branches.length) {
      const row = this.branches[this.#at]!.next();
      if (row === PENDING) return PENDING;
      if (!row) this.#at++;
      else if (!this.#seen.has(row.number)) {
        this.#seen.add(row.number);
        return row;
      }
    }
    return undefined;
  }

  async load(): Promise<void> {
    await this.branches[this.#at]?.load();
  }

  async close(): Promise<void> {
    for (const branch of this.branches) await branch.close();
  }
}
