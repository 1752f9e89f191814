import { createTree, type Tree } from './tree.js';
import type { Document } from 'bson';
import { RECORD_NUMBER_SIZE } from '../bson/key.js';
import { afterPrefix, compareKeys } from '../bson/key-range.js';
import { rawDocument, toRaw } from '../bson/write.js';
import type { Filter } from '../query/ast.js';
import { compileFilter, type Matcher } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { pathOf } from '../query/path.js';
import { keysOfDocument, type IndexComponent } from './index-keys.js';
import type { StoredRecord } from './record.js';
import type { LockHolder } from './lock-holder.js';

/** An index as createIndexes describes it. */
export interface IndexSpec {
  readonly v: number;
  readonly key: Readonly<Record<string, number>>;
  readonly name: string;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  readonly expireAfterSeconds?: number;
  readonly partialFilterExpression?: Document;
}

/** A half-open range of keys. */
export interface KeyRange {
  readonly low: string;
  readonly high: string;
}

/** The top-level fields that an update changed; '*' stands for all. */
export type ChangedFields = ReadonlySet<string>;

/** A transaction that holds a key of a unique index that it has not committed. */
export interface KeyReservation {
  readonly owner: LockHolder;
  readonly idKey: string;
}

/** A B-tree over the encoded keys of one index. It is filled when it is first used, so that opening a store is quick. */
export class IndexBTree {
  readonly components: readonly IndexComponent[];
  readonly arrayComponents = new Set<number>();
  readonly partial: Filter | undefined;
  readonly reserved = new Map<string, KeyReservation>();
  readonly #covers: Matcher | undefined;
  /** The top-level fields of the key. */
  readonly #keyRoots: ReadonlySet<string>;
  /** The top-level fields that the keys are made of; undefined when that is not known. */
  readonly #roots: ReadonlySet<string> | undefined;
  #tree: Tree<StoredRecord> | undefined;

  constructor(
    readonly spec: IndexSpec,
    private readonly records: () => Iterable<StoredRecord>,
  ) {
    this.components = Object.entries(spec.key).map(([name, direction]) => ({ path: pathOf(name), descending: direction < 0 }));
    if (spec.partialFilterExpression) {
      this.partial = parseFilter(rawDocument(toRaw(spec.partialFilterExpression)));
      this.#covers = compileFilter(this.partial);
    }
    const filtered = this.partial ? rootsOf(this.partial) : [];
    this.#keyRoots = new Set(this.components.map((c) => c.path.text.split('.')[0]!));
    this.#roots = filtered && new Set([...filtered, ...this.#keyRoots]);
  }

  /** The tree, filled now if it was not yet. */
  get tree(): Tree<StoredRecord> {
    return this.#tree ?? this.build();
  }

  /** Fills the tree if that was not done yet; only then is it known which components go through arrays. */
  ensureBuilt(): void {
    if (!this.#tree) this.build();
  }

  /** Whether a document went through an array in any component. */
  get multikey(): boolean {
    return this.arrayComponents.size > 0;
  }

  /** Whether the index's partial filter takes in a document. */
  covers(bytes: Buffer): boolean {
    return !this.#covers || this.#covers(bytes, 0);
  }

  /** The document's keys in this index; none when a partial or sparse index leaves it out. */
  keysOf(bytes: Buffer, recordNumber: number): readonly string[] {
    if (!this.covers(bytes)) return [];
    const { keys, arrays, allMissing } = keysOfDocument(bytes, this.components, recordNumber);
    if (allMissing && this.spec.sparse) return [];
    for (const component of arrays) this.arrayComponents.add(component);
    return keys;
  }

  /** Fills the tree from all records, in key order. */
  build(): Tree<StoredRecord> {
    const entries: [string, StoredRecord][] = [];
    for (const record of this.records()) for (const key of this.keysOf(record.bytes, record.number)) entries.push([key, record]);
    entries.sort((a, b) => compareKeys(a[0], b[0]));
    const tree = createTree<StoredRecord>();
    for (const [key, record] of entries) tree.set(key, record);
    this.#tree = tree;
    return tree;
  }

  /** Two records with the same unique values, or undefined. */
  findDuplicate(): { key: string; record: StoredRecord } | undefined {
    let previous = '';
    let owner: StoredRecord | undefined;
    for (const [key, record] of this.tree.entries()) {
      const values = key.slice(0, -RECORD_NUMBER_SIZE);
      if (values === previous && owner !== record) return { key: values, record };
      previous = values;
      owner = record;
    }
    return undefined;
  }

  /** Whether the tree has been filled. */
  get built(): boolean {
    return this.#tree !== undefined;
  }

  /** Whether a part of the keys lies in this top-level field. */
  readsKeyFrom(name: string): boolean {
    return this.#keyRoots.has(name);
  }

  /** Whether a change of these fields can change a document's keys. */
  dependsOn(changed: ChangedFields | undefined): boolean {
    if (!changed || !this.#roots || changed.has('*')) return true;
    for (const name of changed) if (this.#roots.has(name)) return true;
    return false;
  }

  /** Puts a new record into the index under its keys. */
  insert(record: StoredRecord, keys: readonly string[]): void {
    if (this.#tree) for (const key of keys) this.#tree.set(key, record);
  }

  /** Takes a record out of the index; its bytes must still be those it was indexed under. */
  remove(record: StoredRecord): void {
    if (this.#tree) for (const key of this.keysOf(record.bytes, record.number)) this.#tree.delete(key);
  }

  /** Moves a record from the keys of its present bytes to others. */
  update(record: StoredRecord, after: readonly string[]): void {
    const tree = this.#tree;
    if (!tree) return;
    const before = this.keysOf(record.bytes, record.number);
    if (before.length === 1 && after.length === 1 && before[0] === after[0]) return;
    for (const key of before) if (!after.includes(key)) tree.delete(key);
    for (const key of after) if (!before.includes(key)) tree.set(key, record);
  }

  /** The records that hold the same unique values as a key (with or without a record number). */
  *holders(key: string): Iterable<StoredRecord> {
    const values = key.slice(0, -RECORD_NUMBER_SIZE);
    const high = afterPrefix(values);
    for (const [found, record] of this.tree.entries(values)) {
      if (found >= high) return;
      yield record;
    }
  }

  /** How many keys lie in a range, without looking at documents. */
  countRange({ low, high }: KeyRange): number {
    return this.tree.forRange(low, high, false);
  }
}

/** The top-level fields that a filter reads, or undefined when it has an expression. */
function rootsOf(filter: Filter): string[] | undefined {
  if ('path' in filter) return [filter.path.text.split('.')[0]!];
  if (filter.kind === 'constant') return [];
  if (filter.kind === 'expression') return undefined;
  const parts = (filter.kind === 'not' ? [filter.filter] : filter.filters).map(rootsOf);
  return parts.every((p) => p !== undefined) ? parts.flat() : undefined;
}
