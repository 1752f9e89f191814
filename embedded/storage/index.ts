import type { Document } from 'bson';
import { RECORD_NUMBER_SIZE } from '../bson/key.js';
import { rawDocument, toRaw } from '../bson/write.js';
import type { Filter } from '../query/ast.js';
import { compileFilter, type Matcher } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import { pathOf } from '../query/path.js';
import { keysOfDocument, type IndexComponent, type IndexKeys } from './index-keys.js';
import { indexPrefix, numberAtEnd, PREFIX_SIZE } from './key-space.js';
import { readNumber, valueOfNumber } from './values.js';
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

const NOTHING = Buffer.alloc(0);
const NO_KEYS = { keys: [], arrays: [] } as const;

/** Where the catalog keeps an index. */
export interface IndexEntry {
  /** Never used again, so that what is left of a dropped index is in nobody's way. */
  readonly id: number;
  readonly spec: IndexSpec;
  /** The components in which documents went through arrays. */
  readonly arrays: readonly number[];
  /** Whether it holds every document; until then it is written and not read. */
  readonly built: boolean;
}

/**
 * An index: what it is made of, and the keys of a document in it. Its entries lie in the database behind `prefix`: the encoded values, and the
 * record number behind them, or as the value of a unique index.
 */
export class Index {
  readonly components: readonly IndexComponent[];
  readonly arrayComponents: Set<number>;
  readonly partial: Filter | undefined;
  readonly reserved = new Map<string, KeyReservation>();
  readonly prefix: string;
  built: boolean;
  readonly #covers: Matcher | undefined;
  /** The top-level field of each component. */
  readonly #componentRoots: readonly string[];
  /** The top-level fields that the keys are made of; undefined when that is not known. */
  readonly #roots: ReadonlySet<string> | undefined;

  constructor(
    readonly id: number,
    readonly spec: IndexSpec,
    arrays: readonly number[] = [],
    built = true,
  ) {
    this.prefix = indexPrefix(id);
    this.arrayComponents = new Set(arrays);
    this.built = built;
    this.components = Object.entries(spec.key).map(([name, direction]) => ({ path: pathOf(name), descending: direction < 0 }));
    if (spec.partialFilterExpression) {
      this.partial = parseFilter(rawDocument(toRaw(spec.partialFilterExpression)));
      this.#covers = compileFilter(this.partial);
    }
    const filtered = this.partial ? rootsOf(this.partial) : [];
    this.#componentRoots = this.components.map((c) => c.path.text.split('.')[0]!);
    this.#roots = filtered && new Set([...filtered, ...this.#componentRoots]);
  }

  /** What the catalog keeps of it. */
  get entry(): IndexEntry {
    return { id: this.id, spec: this.spec, arrays: [...this.arrayComponents], built: this.built };
  }

  get unique(): boolean {
    return this.spec.unique === true || this.spec.name === '_id_';
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
    return this.#keysOf(bytes, recordNumber).keys;
  }

  /** The keys of a document that is being written. The components in which it goes through arrays are noted; whoever writes it tells the catalog. */
  keysToWrite(bytes: Buffer, recordNumber: number): readonly string[] {
    const { keys, arrays } = this.#keysOf(bytes, recordNumber);
    for (const component of arrays) this.arrayComponents.add(component);
    return keys;
  }

  #keysOf(bytes: Buffer, recordNumber: number): Pick<IndexKeys, 'keys' | 'arrays'> {
    if (!this.covers(bytes)) return NO_KEYS;
    const found = keysOfDocument(bytes, this.components, recordNumber);
    return found.allMissing && this.spec.sparse ? NO_KEYS : found;
  }

  /** Whether more than one component lies in these top-level fields: where they are arrays, a document may have no key. */
  readsTwiceFrom(names: readonly string[]): boolean {
    return this.#componentRoots.filter((root) => names.includes(root)).length > 1;
  }

  /** Whether a change of these fields can change a document's keys. */
  dependsOn(changed: ChangedFields | undefined): boolean {
    if (!changed || !this.#roots || changed.has('*')) return true;
    for (const name of changed) if (this.#roots.has(name)) return true;
    return false;
  }

  /** Where the entry of a key of `keysOf` lies. */
  place(key: string): string {
    return this.prefix + (this.unique ? valuesOf(key) : key);
  }

  /** What lies there. */
  valueFor(number: number): Buffer {
    return this.unique ? valueOfNumber(number) : NOTHING;
  }

  /** The record number of an entry. */
  numberOf(place: string, value: Buffer | undefined): number {
    return this.unique ? readNumber(value!) : numberAtEnd(place);
  }

  /** The part of an entry's place that `place` put behind the prefix. */
  keyAt(place: string): string {
    return place.slice(PREFIX_SIZE);
  }
}

/** The values of a key, without the record number. */
export function valuesOf(key: string): string {
  return key.slice(0, -RECORD_NUMBER_SIZE);
}

/** The top-level fields that a filter reads, or undefined when it has an expression. */
function rootsOf(filter: Filter): string[] | undefined {
  if ('path' in filter) return [filter.path.text.split('.')[0]!];
  if (filter.kind === 'constant') return [];
  if (filter.kind === 'expression') return undefined;
  const parts = (filter.kind === 'not' ? [filter.filter] : filter.filters).map(rootsOf);
  return parts.every((p) => p !== undefined) ? parts.flat() : undefined;
}
