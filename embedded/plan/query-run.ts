import type { Document } from 'bson';
import type { Filter } from '../query/ast.js';
import { compileFilter, type Matcher } from '../query/match.js';
import type { Collection } from '../storage/collection.js';
import type { Overlay, Transaction } from '../transactions.js';
import { choosePlan, type Plan } from './planner.js';
import { openSource, type RecordSource, type ScanCounts } from './scan.js';
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
}

/**
 * The own transaction's versions that a query may meet, as they are now. A query by `_id` meets those of its ids only: a
 * transaction of a thousand updates would else look through all of them at each.
 */
function ownVersions(overlay: Overlay, plan: Plan): ReadonlyMap<string, Buffer | null> {
  if (plan.kind !== 'ids') return new Map(overlay);
  return new Map(
    plan.ids.flatMap((id) => {
      const version = overlay.get(id);
      return version === undefined ? [] : [[id, version] as const];
    }),
  );
}

/** A query under way: gives the raw documents in order, as they are asked for. */
export class QueryRun {
  readonly plan: Plan;
  readonly counts: ScanCounts = { keysExamined: 0, docsExamined: 0 };
  readonly #sort: readonly SortField[];
  readonly #overlay: ReadonlyMap<string, Buffer | null> | undefined;
  readonly #source: RecordSource;
  readonly #matches: Matcher;
  readonly #exact: boolean;
  #stream: (() => Buffer | undefined) | undefined;
  #toSkip: number;
  #left: number;

  constructor(private readonly spec: QuerySpec) {
    this.#sort = spec.sort ?? [];
    this.plan = choosePlan(spec.collection, spec.filter, this.#sort, spec.hint);
    this.#source = openSource(spec.collection, this.plan, this.counts);
    this.#matches = compileFilter(spec.filter, spec.variables);
    this.#exact = this.plan.kind === 'index' && this.plan.exact;
    const overlay = spec.transaction?.overlays.get(spec.collection);
    this.#overlay = overlay && overlay.size > 0 ? ownVersions(overlay, this.plan) : undefined;
    this.#toSkip = spec.skip ?? 0;
    this.#left = spec.limit ? spec.limit : Infinity;
  }

  /** Whether the documents must be sorted in memory. */
  get sortsInMemory(): boolean {
    return this.#sort.length > 0 && !(this.plan.kind === 'index' && this.plan.sorted);
  }

  /** The next document, or undefined at the end. */
  next(): Buffer | undefined {
    if (this.#left <= 0) return undefined;
    const stream = (this.#stream ??= this.#open());
    for (; this.#toSkip > 0; this.#toSkip--) if (!stream()) return undefined;
    this.#left--;
    return stream();
  }

  /** All documents that are left. */
  all(): Buffer[] {
    const documents: Buffer[] = [];
    for (let document = this.next(); document; document = this.next()) documents.push(document);
    return documents;
  }

  /** Lets other commands change the collection before the next document is asked for. */
  pause(): void {
    this.#source.pause();
  }

  /** How many documents match, without looking at them when the index keys tell. */
  count(): number {
    let total = 0;
    const { plan } = this;
    if (plan.kind === 'index' && plan.exact && !this.#overlay && !plan.index.multikey) {
      for (const range of plan.ranges) total += plan.index.countRange(range);
      this.counts.keysExamined += total;
    } else if (this.spec.filter.kind === 'and' && this.spec.filter.filters.length === 0 && !this.#overlay)
      total = this.spec.collection.records.size;
    else while (this.#nextBase()) total++;
    total += this.#ownDocuments().length;
    return Math.min(Math.max(0, total - this.#toSkip), this.#left);
  }

  #open(): () => Buffer | undefined {
    const own = this.#ownDocuments();
    if (this.sortsInMemory) return this.#sorted(own);
    if (own.length === 0) return () => this.#nextBase();
    return this.#sort.length > 0 ? this.#merged(own) : this.#appended(own);
  }

  #nextBase(): Buffer | undefined {
    for (let record = this.#source.next(); record; record = this.#source.next()) {
      if (this.#overlay?.has(record.idKey)) continue;
      this.counts.docsExamined++;
      if (this.#exact || this.#matches(record.bytes, 0)) return record.bytes;
    }
    return undefined;
  }

  /** The documents that the own transaction wrote and that match. */
  #ownDocuments(): Buffer[] {
    if (!this.#overlay) return [];
    return [...this.#overlay.values()].filter((bytes): bytes is Buffer => bytes !== null && this.#matches(bytes, 0));
  }

  #sorted(own: readonly Buffer[]): () => Buffer | undefined {
    const limit = this.#left + this.#toSkip;
    const sorter = new Sorter<Buffer>(limit);
    const add = (bytes: Buffer): void => sorter.add(sortKeyOf(bytes, 0, this.#sort), bytes);
    for (let bytes = this.#nextBase(); bytes; bytes = this.#nextBase()) add(bytes);
    own.forEach(add);
    const documents = sorter.finish();
    let at = 0;
    return () => documents[at++];
  }

  #appended(own: readonly Buffer[]): () => Buffer | undefined {
    let at = 0;
    return () => this.#nextBase() ?? own[at++];
  }

  #merged(own: readonly Buffer[]): () => Buffer | undefined {
    const keyed = own.map((bytes) => ({ bytes, key: sortKeyOf(bytes, 0, this.#sort) })).sort((a, b) => (a.key < b.key ? -1 : 1));
    let at = 0;
    let base: Buffer | undefined;
    let baseKey = '';
    return () => {
      if (!base) {
        base = this.#nextBase();
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
