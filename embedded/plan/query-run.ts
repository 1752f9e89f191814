import type { Document } from 'bson';
import type { Filter } from '../query/ast.js';
import { compileFilter, type Matcher } from '../query/match.js';
import { idKeyOf, type Collection } from '../storage/collection.js';
import type { View } from '../storage/database.js';
import { Slice } from '../storage/slice.js';
import { countUpTo, PENDING } from '../storage/walk.js';
import type { Overlay, Transaction } from '../transactions.js';
import type { Plan } from './plan.js';
import { choosePlan } from './planner.js';
import type { ScanCounts } from './range-walks.js';
import { openSource, type RowSource } from './scan.js';
import { Sorter, sortKeyOf, type SortField } from './sort.js';

/** What to find in a collection. */
export interface QuerySpec {
  readonly collection: Collection;
  readonly filter: Filter;
  readonly sort?: readonly SortField[];
  readonly skip?: number;
  /** 0 or absent: no limit. */
  readonly limit?: number;
  readonly hint?: string;
  /** Whose uncommitted writes to see. */
  readonly transaction?: Transaction;
  /** What $expr in the filter may refer to. */
  readonly variables?: Document;
  /** Throws when the operation has been given up. */
  readonly check?: () => void;
}

/** Documents that are read without a look at the clock, and given together. */
const PER_LOOK = 64;
const PER_BATCH = 512;

/**
 * The own transaction's versions that a query may meet, as they are now. A query by `_id` or by the values of a unique index meets few of them:
 * a transaction of a thousand updates would else look through all of them at each.
 */
function ownVersions({ transaction, collection }: QuerySpec, view: View, overlay: Overlay, plan: Plan): ReadonlyMap<string, Buffer | null> {
  if (plan.kind === 'ids') return some(overlay, plan.ids);
  if (plan.kind !== 'point') return new Map(overlay);
  // one that has taken the values, and the one that had them before
  const reservation = plan.index.reserved.get(plan.key);
  const number = collection.database.point(view, plan.index.prefix + plan.key);
  const bytes = number === undefined ? undefined : collection.bytesOf(view, number);
  const ids = [...(reservation?.owner === transaction ? [reservation!.idKey] : []), ...(bytes ? [idKeyOf(bytes)!] : [])];
  return some(overlay, ids);
}

function some(overlay: Overlay, ids: readonly string[]): ReadonlyMap<string, Buffer | null> {
  return new Map(
    ids.flatMap((id) => {
      const version = overlay.get(id);
      return version === undefined ? [] : [[id, version] as const];
    }),
  );
}

/** A query under way. It reads one state of the collection, whatever is written meanwhile. Whoever opens one closes it. */
export class QueryRun {
  readonly counts: ScanCounts = { keysExamined: 0, docsExamined: 0 };
  readonly #sort: readonly SortField[];
  readonly #overlay: ReadonlyMap<string, Buffer | null> | undefined;
  readonly #source: RowSource;
  readonly #matches: Matcher;
  readonly #exact: boolean;
  #stream: (() => Buffer | undefined | typeof PENDING) | undefined;
  #toSkip: number;
  #left: number;
  #closed = false;

  private constructor(
    private readonly spec: QuerySpec,
    private readonly view: View,
    readonly plan: Plan,
  ) {
    this.#sort = spec.sort ?? [];
    this.#toSkip = spec.skip ?? 0;
    this.#left = spec.limit ? spec.limit : Infinity;
    this.#matches = compileFilter(spec.filter, spec.variables);
    this.#exact = plan.kind === 'index' && plan.exact;
    const overlay = spec.transaction?.overlays.get(spec.collection);
    this.#overlay = overlay && overlay.size > 0 ? ownVersions(spec, view, overlay, plan) : undefined;
    const wanted = plan.kind === 'index' && plan.exact && !plan.test && !this.sortsInMemory ? this.#toSkip + this.#left : Infinity;
    const expected = Number.isFinite(wanted) ? wanted : undefined;
    this.#source = openSource(plan, { collection: spec.collection, view, counts: this.counts, expected });
  }

  /** Chooses the plan of a query and begins it. */
  static async open(spec: QuerySpec): Promise<QueryRun> {
    const view = (spec.transaction?.view ?? spec.collection.database.current).retain();
    try {
      return new QueryRun(spec, view, await choosePlan(spec.collection, view, spec.filter, spec.sort ?? [], spec.hint));
    } catch (error) {
      view.release();
      throw error;
    }
  }

  /** Whether the documents must be sorted in memory. */
  get sortsInMemory(): boolean {
    return this.#sort.length > 0 && !(this.plan.kind === 'index' && this.plan.sorted);
  }

  /** The documents in order, some at a time, yielding to others between them. It closes the query at its end. */
  async *batches(most = PER_BATCH): AsyncGenerator<Buffer[], void, undefined> {
    try {
      const slice = new Slice();
      const stream = (this.#stream ??= await this.#open(slice));
      let batch: Buffer[] = [];
      for (let looked = 1; this.#left > 0; looked++) {
        const document = stream();
        if (document === undefined) break;
        if (document === PENDING) {
          await this.#source.load();
          await this.#pause(slice);
        } else if (this.#toSkip > 0) this.#toSkip--;
        else {
          this.#left--;
          batch.push(document);
        }
        if (batch.length >= most) {
          yield batch;
          batch = [];
        }
        if (looked % PER_LOOK === 0) await this.#pause(slice);
      }
      if (batch.length > 0) yield batch;
    } finally {
      await this.close();
    }
  }

  async #pause(slice: Slice): Promise<void> {
    this.spec.check?.();
    if (slice.over()) await slice.next();
  }

  /** All documents that are left. */
  async all(): Promise<Buffer[]> {
    const documents: Buffer[] = [];
    for await (const batch of this.batches()) documents.push(...batch);
    return documents;
  }

  /** The first document, and no more. */
  async first(): Promise<Buffer | undefined> {
    for await (const batch of this.batches(1)) return batch[0];
    return undefined;
  }

  /** How many documents match, without looking at them when the index keys tell. It closes the query. */
  async count(): Promise<number> {
    try {
      const total = (await this.#countBase()) + this.#ownDocuments().length;
      return Math.min(Math.max(0, total - this.#toSkip), this.#left);
    } finally {
      await this.close();
    }
  }

  async #countBase(): Promise<number> {
    const { plan, spec, view } = this;
    let total = 0;
    if (plan.kind === 'index' && plan.exact && !plan.test && !this.#overlay && !plan.index.multikey) {
      for (const { low, high } of plan.ranges) {
        const span = { gte: plan.index.prefix + low, lt: plan.index.prefix + high };
        total += await countUpTo(spec.collection.database, view, span, Infinity, spec.check);
      }
      this.counts.keysExamined += total;
      return total;
    }
    if (spec.filter.kind === 'and' && spec.filter.filters.length === 0 && !this.#overlay && view === spec.collection.database.current)
      return spec.collection.sizes.count;
    await this.#eachBase(new Slice(), () => total++, this.#exact && !this.#overlay);
    return total;
  }

  /** Lets go of what the query holds. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#source.close();
    this.view.release();
  }

  async #open(slice: Slice): Promise<() => Buffer | undefined | typeof PENDING> {
    const own = this.#ownDocuments();
    if (this.sortsInMemory) return this.#sorted(own, slice);
    if (own.length === 0) return () => this.#nextBase();
    return this.#sort.length > 0 ? this.#merged(own) : this.#appended(own);
  }

  /** @param passed whether the next row is passed over: where the index tells that it matches, it need not be read */
  #nextBase(passed = this.#toSkip > 0 && this.#exact && !this.#overlay && !this.sortsInMemory): Buffer | undefined | typeof PENDING {
    for (;;) {
      const row = this.#source.next(!passed);
      if (row === undefined || row === PENDING) return row;
      if (this.#overlay?.has(idKeyOf(row.bytes)!)) continue;
      if (!passed) this.counts.docsExamined++;
      if (this.#exact || this.#matches(row.bytes, 0)) return row.bytes;
      // so that whoever waits for a match looks at the clock
      if (this.counts.docsExamined % PER_LOOK === 0) return PENDING;
    }
  }

  async #eachBase(slice: Slice, visit: (bytes: Buffer) => void, passed = false): Promise<void> {
    for (let looked = 1; ; looked++) {
      const bytes = this.#nextBase(passed);
      if (bytes === undefined) return;
      if (bytes === PENDING) await this.#source.load();
      else visit(bytes);
      if (looked % PER_LOOK === 0 || bytes === PENDING) await this.#pause(slice);
    }
  }

  /** The documents that the own transaction wrote and that match. */
  #ownDocuments(): Buffer[] {
    if (!this.#overlay) return [];
    return [...this.#overlay.values()].filter((bytes): bytes is Buffer => bytes !== null && this.#matches(bytes, 0));
  }

  async #sorted(own: readonly Buffer[], slice: Slice): Promise<() => Buffer | undefined> {
    const sorter = new Sorter<Buffer>(this.#left + this.#toSkip);
    const add = (bytes: Buffer): void => sorter.add(sortKeyOf(bytes, 0, this.#sort), bytes);
    await this.#eachBase(slice, add);
    own.forEach(add);
    const documents = sorter.finish();
    let at = 0;
    return () => documents[at++];
  }

  #appended(own: readonly Buffer[]): () => Buffer | undefined | typeof PENDING {
    let at = 0;
    return () => this.#nextBase() ?? own[at++];
  }

  #merged(own: readonly Buffer[]): () => Buffer | undefined | typeof PENDING {
    const keyed = own.map((bytes) => ({ bytes, key: sortKeyOf(bytes, 0, this.#sort) })).sort((a, b) => (a.key < b.key ? -1 : 1));
    let at = 0;
    let base: Buffer | undefined;
    let baseKey = '';
    return () => {
      if (!base) {
        const next = this.#nextBase();
        if (next === PENDING) return PENDING;
        base = next;
        if (base) baseKey = sortKeyOf(base, 0, this.#sort);
      }
      const head = keyed[at];
      if (head && (!base || head.key < baseKey)) {
        at++;
        return head.bytes;
      }
      const found = base;
      base = undefined;
      return found;
    };
  }
}
